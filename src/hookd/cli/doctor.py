"""`hookd doctor`: the installation from end to end, and mending what can be mended."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import click
from msgspec.structs import replace

from hookd import __version__
from hookd.agents.install import is_of_older_form
from hookd.capabilities import CAPABILITIES, config_problems, files_to_trust, sources
from hookd.capability import CheckResult
from hookd.cli import launcher
from hookd.cli.common import json_option, print_json, project_option
from hookd.cli.doctor_checks import (
    check_backups,
    check_journal,
    check_mcp,
    check_store,
    check_versions,
    results_of,
)
from hookd.cli.git_privacy import check_private, keep_private_still
from hookd.cli.install import chosen_agents, register
from hookd.daemon.guard import REGISTER, cannot_run, guard
from hookd.daemon_control import lock_is_free, read_pid
from hookd.errors import DaemonError, HookdError, RuntimeFolderError, SettingsError, TrustError
from hookd.hooks.trust import TrustState, compare
from hookd.paths import Project, ensure_runtime_folder, user_folders
from hookd.reports.daemon import daemon_status
from hookd.reports.registration import installed, load_hooks, missing_events
from hookd.wire import FOLDER_VARIABLES, SELF_TEST_EVENT

ROUND_TRIPS = 20
UNREGISTERED = "hookd is registered with no agent here"
_MEND_FILE = "mend the file; it is read again by itself"


@click.command()
@project_option
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@json_option
def doctor(here: Project, fix: bool, as_json: bool) -> int:
    """Check the installation from end to end; --fix mends what it can.

    Exit code 0 if all is well, or is well now; 1 if something is left to do.
    """
    checks = (
        *(_runtime, _client, _settings, _events, _config, _hooks, _trust),
        *(check_store, check_backups, check_journal, check_mcp, check_private),
        *(check for each in CAPABILITIES for check in each.checks),
        *(_daemon, check_versions, _round_trip, _guard),
    )
    findings: list[CheckResult] = []
    for check in checks:
        finding = check(here)
        if fix and not finding.ok and finding.fix is not None:
            done = finding.fix()
            again = check(here)
            finding = replace(again, what=f"{again.what} ({done})")
        findings.append(finding)
        if not as_json:
            _print(finding)
    if as_json:
        print_json([{"check": f.name, "ok": f.ok, "what": f.what, "advice": f.advice} for f in findings])
    return 0 if all(finding.ok for finding in findings) else 1


def _print(finding: CheckResult) -> None:
    mark = click.style("ok  ", fg="green") if finding.ok else click.style("BAD ", fg="red")
    click.echo(f"{mark} {finding.name:<13} {finding.what}")
    if not finding.ok and finding.advice:
        click.echo(f"{'':<19}{finding.advice}")


def _runtime(project: Project) -> CheckResult:
    folder = project.files.folder
    try:
        ensure_runtime_folder(folder)
    except RuntimeFolderError as error:

        def tighten() -> str:
            os.chmod(folder, 0o700)
            return "set its mode to 0700"

        ours = os.path.isdir(folder) and not os.path.islink(folder) and os.stat(folder).st_uid == os.geteuid()
        return CheckResult("runtime", False, str(error), error.hint or "", tighten if ours else None)
    return CheckResult("runtime", True, folder)


def _client(project: Project) -> CheckResult:
    good, bad = results_of("client")
    copy = launcher.copied_client(project.folders)
    if launcher.packaged_client() is None:
        return good("the Python client (slower: no C compiler was there at installation)")

    def renew() -> str:
        launcher.install_client(project.folders)
        return "installed it anew"

    if not copy.exists():
        return bad(f"{copy} is not installed", "run `hookd init`", renew)
    try:
        done = subprocess.run([copy, "--version"], capture_output=True, text=True, timeout=5, check=False)
    except OSError as error:
        return bad(f"{copy} cannot run: {error.strerror}", "is its folder on a noexec mount?", renew)
    said = done.stdout.strip()
    if f" {__version__} " not in done.stdout:
        return bad(f"{copy} is of another version ({said})", "run `hookd init`", renew)
    return good(f"{said} at {copy}")


def _settings(project: Project) -> CheckResult:
    good, bad = results_of("settings")
    try:
        places = installed(project)
    except SettingsError as error:
        return bad(str(error), error.hint or "mend that file, then run `hookd init`")

    mend = partial(_register, project)
    if not places:
        return bad(UNREGISTERED, REGISTER, mend)
    policy = sources(project.root, project.folders).read().config.on_failure
    for _, place in places:
        if place.down:
            return bad(
                place.down, f"{place.mend}: the guard is down", mend if place.mend == REGISTER else None
            )
        for event, command in place.commands.items():
            if "--on-failure" in command and command[command.index("--on-failure") + 1] != policy:
                what = f"{event} is registered with another failure policy than the configured {policy}"
                return bad(what, "run `hookd init` again", mend)
            if why := cannot_run(command[0]):
                return bad(f"{place.path} names {command[0]} for {event}, {why}", REGISTER, mend)
            if other := _other_folders(command):
                what = f"{place.path} has hookd's folders elsewhere than this terminal ({other})"
                return bad(what, "run `hookd init` again if these here are right", mend)
        if any(map(is_of_older_form, place.commands.values())):
            what = "entries of an older form: they work, but say less if hookd cannot answer"
            return bad(f"{place.path} has {what}", f"run `hookd init --scope {place.scope}`", mend)
    if len({place.scope for _, place in places}) > 1:
        scopes = ", ".join(place.scope for _, place in places)
        what = f"hookd is registered in several scopes ({scopes}): each event may arrive twice"
        return bad(what, "`hookd uninstall --scope NAME` takes it out of one")
    return good(", ".join(f"{agent.TITLE} in {place.path}" for agent, place in places))


def _register(project: Project) -> str:
    """Registers what is missing, in every settings file that has entries, else in the agents' usual one."""
    places = installed(project)
    for agent, place in places:
        register(project, [agent], place.scope)
    if not places:
        register(project, chosen_agents(()))
    keep_private_still(project, quiet=True)
    return "registered"


def _other_folders(command: tuple[str, ...]) -> str:
    """The first of the folders that an entry names and that is another one here."""
    given = dict(word.split("=", 1) for word in command if word.partition("=")[0] in FOLDER_VARIABLES)
    there, here = user_folders(given), user_folders()
    pairs = zip(there, here, strict=True)
    return next((f"{theirs}, here {ours}" for theirs, ours in pairs if given and theirs != ours), "")


def _events(project: Project) -> CheckResult:
    good, bad = results_of("events")
    mend = partial(_register, project)
    try:
        if not installed(project):
            return bad(f"no agent sends any: {UNREGISTERED}", REGISTER, mend)
    except SettingsError as error:
        return bad(str(error), error.hint or "mend that file, then run `hookd init`")
    if missing := missing_events(project):
        what = f"hooks listen to {', '.join(missing)}, which no agent sends"
        return bad(what, "run `hookd init` again", mend)
    return good("every event that a hook listens to is registered")


def _config(project: Project) -> CheckResult:
    problems = config_problems(project.root, sources(project.root, project.folders).read())
    return CheckResult("config", not problems, "; ".join(problems) or "valid", _MEND_FILE)


def _hooks(project: Project) -> CheckResult:
    """Loads the hooks as an event would."""
    good, bad = results_of("hooks")
    loaded = load_hooks(project)
    if loaded.faults:
        faults = [f"{path}: {fault['problem']}" for path, fault in loaded.faults.items()]
        return bad("; ".join(faults), _MEND_FILE)
    return good(f"{loaded.files} hook files load" if loaded.files else "none of your own")


def _trust(project: Project) -> CheckResult:
    try:
        report = compare(project.folders, project.root, files_to_trust(project.root))
    except TrustError as error:
        return CheckResult("trust", False, str(error), error.hint or "")
    waits = report.state in (TrustState.UNTRUSTED, TrustState.CHANGED)
    names = ", ".join(change.split(None, 1)[1] for change in report.changes)
    what = f"{report.state.value}{': ' + names if waits else ''}"
    return CheckResult("trust", not waits, what, "read those files, then run `hookd trust` in a terminal")


def _daemon(project: Project) -> CheckResult:
    def end() -> str:
        pid = read_pid(project.files)
        if pid is not None and not lock_is_free(project.files):
            os.kill(pid, signal.SIGKILL)
            return f"ended process {pid}; the next event starts a new daemon"
        return "nothing to end"

    good, bad = results_of("daemon")
    try:
        status = daemon_status(project.files)
    except DaemonError as error:
        return bad(str(error), "`hookd doctor --fix` ends it", end)
    if status is None:
        return good("not running; the next event starts it")
    if status["version"] != __version__:
        return good(f"version {status['version']}; the next event replaces it")
    if status["quarantined"]:
        names = ", ".join(status["quarantined"])
        return bad(f"quarantined hooks: {names}", "mend their files; that puts them in force again")
    return good(f"process {status['pid']}, up {status['uptime_s']:.0f} s")


def _is_registered(project: Project) -> bool:
    try:
        return bool(installed(project))
    except SettingsError:
        return True  # some entry may well be there


def _guard(project: Project) -> CheckResult:
    """Whether calls are judged and stopped, once all else was seen to."""
    try:
        daemon_status(project.files)
        frozen = ""
    except DaemonError as error:
        frozen = str(error)
    found = guard(project, sources(project.root, project.folders).read(), frozen=frozen)
    what = found.says.removesuffix(f" ({found.do})")
    return CheckResult("guard", found.state == "guarded", what, found.do)


def _round_trip(project: Project) -> CheckResult:
    """A real event that no hook listens to, through the real client, timed."""
    good, bad = results_of("round trip")
    if not _is_registered(project):
        return bad(f"not tried: {UNREGISTERED}", REGISTER)  # it would start a daemon that nobody asked for
    copy = launcher.copied_client(project.folders)
    client = [str(copy)] if copy.exists() else [sys.executable, "-I", "-m", "hookd.client"]
    command = [*client, "claude-code", SELF_TEST_EVENT]
    env = {**os.environ, "CLAUDE_PROJECT_DIR": project.root}
    times = []
    try:
        for _ in range(ROUND_TRIPS):
            began = time.perf_counter()
            done = subprocess.run(command, input=b"{}", capture_output=True, env=env, timeout=30, check=False)
            times.append((time.perf_counter() - began) * 1000)
            if done.returncode != 0 or done.stdout or done.stderr:
                said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
                return bad(f"the client answered oddly: {said[:300]}", "`hookd logs` may say more")
        if daemon_status(project.files) is None:
            return bad("events are answered, but no daemon stays up", f"see {project.files.log}")
    except (OSError, subprocess.TimeoutExpired, HookdError) as error:
        return bad(f"failed: {error}", "`hookd logs` may say more")
    return good(f"{sorted(times)[len(times) // 2]:.1f} ms (median of {len(times)})")
