"""Where hooks and configuration come from, when that changed, and what trust lets through."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hookd import config
from hookd.capabilities import CAPABILITIES
from hookd.capability import Capability, FileKind
from hookd.hooks import capability_files, trust
from hookd.hooks.hook_sources import Found, Sources
from hookd.paths import UserFolders

DEFAULTS = config.merge([], [each.table for each in CAPABILITIES if each.table is not None]).config


class Place:
    """A person's folders and a project, and what hookd finds in them."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.folders = UserFolders(base / "config", base / "data")
        self.project = base / "project"
        self.hookd = self.project / ".hookd"
        self.managed = base / "managed.toml"
        self.folders.hooks.mkdir(parents=True)
        self.project.mkdir()
        self.sources = self.look()

    def look(self, extra: Iterable[str] = ()) -> Sources:
        return Sources(str(self.project), self.folders, extra, CAPABILITIES)

    def write(self, name: str, content: str = "code") -> Path:
        path = self.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def trust(self) -> None:
        trust.grant(self.folders, str(self.project), trust.read_files(str(self.project)))

    def read(self) -> Found:
        return self.sources.read()

    def found(self) -> dict[str, bytes]:
        """The hooks that would run, by their path below this place."""
        return {os.path.relpath(s.path, self.base): s.code for s in self.read().sources}

    def unchanged(self) -> bool:
        return not self.sources.changed()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(Path(os.path.realpath(tmp_path)))
    monkeypatch.setattr(config, "MANAGED_CONFIG", str(made.managed))
    return made


def test_where_there_is_nothing_nothing_is_found(place: Place) -> None:
    place.folders.hooks.rmdir()
    assert place.read() == (DEFAULTS, [], False, (), (), {"rules": (), ".": ()}, {}, {})


def test_the_users_hooks_lie_in_one_folder_and_only_there(place: Place) -> None:
    place.write("config/hooks/b.py", "b")
    place.write("config/hooks/a.py", "a")
    place.write("config/hooks/deep/c.py")
    place.write("config/hooks/notes.txt")
    place.write("config/hooks/d.pyc")
    place.write("config/hooks/.e.py")
    (place.folders.hooks / ".#a.py").symlink_to("somebody@here.1234")
    assert place.found() == {"config/hooks/a.py": b"a", "config/hooks/b.py": b"b"}
    assert list(place.found()) == ["config/hooks/a.py", "config/hooks/b.py"]
    assert place.read().problems == ()


def test_a_hook_that_cannot_be_read_is_said_and_its_last_good_version_stays_in_force(place: Place) -> None:
    path = place.write("config/hooks/one.py", "good")
    place.sources.settle(place.read().sources, broken=set())
    path.unlink()
    path.mkdir()
    assert place.found() == {"config/hooks/one.py": b"good"}
    assert place.read().problems == (f"{path} cannot be read; its last good version stays in force",)
    (place.folders.hooks / "two.py").mkdir()
    assert f"{place.folders.hooks}/two.py cannot be read; it is not loaded" in place.read().problems


def test_the_last_good_version_outlives_the_daemon(place: Place) -> None:
    path = place.write("config/hooks/one.py", "good")
    place.sources.settle(place.read().sources, broken=set())
    path.write_text("broken")
    place.sources = place.look()
    [source] = place.read().sources
    assert (source.code, source.last_good) == (b"broken", b"good")


def test_a_hook_that_was_removed_is_gone(place: Place) -> None:
    path = place.write("config/hooks/one.py")
    place.sources.settle(place.read().sources, broken=set())
    path.unlink()
    assert place.found() == {}
    assert place.read().problems == ()


def test_a_repository_cannot_make_a_long_list_of_what_waits(place: Place) -> None:
    for number in range(103):
        place.write(f"project/.hookd/hooks/{number:03}.py")
    waiting = place.read().waiting
    assert len(waiting) == 101
    assert waiting[-1] == f"{place.hookd}/hooks: 3 more files"


def test_more_paths_from_the_users_config(place: Place) -> None:
    place.write("elsewhere/one.py")
    place.write("config/relative/two.py")
    place.write("config/relative/three.py")
    place.write("config/config.toml", f"[hooks]\npaths = ['{place.base}/elsewhere/one.py', 'relative']")
    assert set(place.found()) == {
        "elsewhere/one.py",
        "config/relative/two.py",
        "config/relative/three.py",
    }
    assert place.read().problems == ()


def test_a_path_may_begin_at_home(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place.base))
    place.write("mine/one.py")
    place.write("config/config.toml", "[hooks]\npaths = ['~/mine', '~no-such-user/hooks.py']")
    assert set(place.found()) == {"mine/one.py"}
    assert len(place.read().problems) == 1


def test_hooks_from_the_command_line(place: Place) -> None:
    extra = place.write("extra.py", "extra")
    place.sources = place.look([str(extra)])
    assert place.found() == {"extra.py": b"extra"}
    assert place.read().waiting == ()


@pytest.mark.parametrize("missing", ["gone.py", "gone-folder", "plain-file", "na\\u0000me.py"])
def test_a_path_that_leads_to_no_hook_is_said(place: Place, missing: str) -> None:
    place.write("config/plain-file")
    place.write("config/hooks/good.py")
    place.write("config/config.toml", f'[hooks]\npaths = ["{missing}"]')
    assert set(place.found()) == {"config/hooks/good.py"}
    [problem] = place.read().problems
    assert missing.partition("\\")[0] in problem
    assert place.unchanged()


def test_a_file_is_loaded_once_by_its_real_path(place: Place) -> None:
    one = place.write("config/hooks/one.py", "one")
    (place.base / "link.py").symlink_to(one)
    (place.base / "folder").symlink_to(place.folders.hooks)
    place.write("config/config.toml", "[hooks]\npaths = ['../link.py', '../folder', 'hooks/../hooks/one.py']")
    place.sources = place.look([str(one)])
    assert place.found() == {"config/hooks/one.py": b"one"}


def test_turned_off_means_no_users_and_no_projects_hooks(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("config/hooks/one.py")
    place.write("project/.hookd/hooks/two.py")
    place.trust()
    install(place, monkeypatch)
    assert len(place.read().sources) == 2
    assert place.read().entry_points
    place.write("config/config.toml", "[hooks]\nenabled = false")
    assert (place.read().sources, place.read().entry_points) == ([], False)


def install(
    place: Place, monkeypatch: pytest.MonkeyPatch, entry_points: str = "[hookd.hooks]\nx = y:z\n"
) -> None:
    place.write("site/some_hooks-1.0.dist-info/entry_points.txt", entry_points)
    monkeypatch.syspath_prepend(str(place.base / "site"))


def test_an_installed_package_may_bring_hooks(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not place.read().entry_points
    install(place, monkeypatch, "[console_scripts]\nhookd.hooks = x:y\n")
    assert not place.read().entry_points
    install(place, monkeypatch)
    assert place.read().entry_points


def edit(path: Path) -> None:
    path.write_text("a longer content than before")


def same_size(path: Path) -> None:
    before = path.stat()
    path.write_text("edoc")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def replaced(path: Path) -> None:
    """As editors write: a new file under the old name, here even with the old time."""
    before = path.stat()
    new = path.with_suffix(".new")
    new.write_text("edoc")
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    new.rename(path)


@pytest.mark.parametrize(
    "name",
    [
        "config/hooks/one.py",
        "config/config.toml",
        "project/.hookd/config.toml",
        "project/.hookd/config.local.toml",
        "project/.hookd/hooks/two.py",
        "managed.toml",
        "listed/three.py",
        "extra.py",
    ],
)
@pytest.mark.parametrize("change", [edit, same_size, replaced, Path.unlink])
def test_a_change_to_any_file_is_noticed(place: Place, name: str, change: object) -> None:
    assert callable(change)
    listing = "[hooks]\npaths = ['../listed']\n"
    for file in ("config/hooks/one.py", "project/.hookd/hooks/two.py", "listed/three.py", "extra.py"):
        place.write(file)
    place.write("config/config.toml", listing)
    place.write("project/.hookd/config.toml", "")
    place.write("project/.hookd/config.local.toml", "")
    place.write("managed.toml", "")
    place.sources = place.look([f"{place.base}/extra.py"])
    place.read()
    assert place.unchanged()
    change(place.base / name)
    assert place.sources.changed()
    place.read()
    assert place.unchanged()


@pytest.mark.parametrize(
    "name",
    [
        "config/hooks/new.py",
        "config/config.toml",
        "project/.hookd/config.toml",
        "project/.hookd/hooks/new.py",
        "managed.toml",
        "extra.py",
    ],
)
def test_a_new_file_is_noticed(place: Place, name: str) -> None:
    place.sources = place.look([f"{place.base}/extra.py"])
    place.read()
    assert place.unchanged()
    place.write(name, "")
    assert place.sources.changed()
    place.read()
    assert place.unchanged()


def test_a_file_that_changes_while_it_is_read_counts_as_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = place.write("config/hooks/one.py")
    opened = Path.open

    def changing(path: Path, *arguments: Any, **options: Any) -> Any:
        file = opened(path, *arguments, **options)
        if path == hook:
            with opened(hook, "a") as again:
                again.write("more")
        return file

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", changing)
        place.read()
    assert place.sources.changed()


def test_granting_and_revoking_trust_is_noticed(place: Place) -> None:
    place.write("project/.hookd/hooks/one.py")
    assert place.found() == {}
    place.trust()
    assert place.sources.changed()
    assert set(place.found()) == {"project/.hookd/hooks/one.py"}
    trust.revoke(place.folders, str(place.project))
    assert place.sources.changed()
    assert place.found() == {}


def test_what_waits_for_trust_is_said(place: Place) -> None:
    place.write("project/.hookd/hooks/one.py")
    place.write("project/.hookd/hooks/notes.txt")
    place.write("project/.hookd/config.toml", "[gate]\non_failure = 'allow'\n[runs]\nenabled = false")
    found = place.read()
    assert found.waiting == (
        f"{place.hookd}/config.toml: gate.on_failure",
        f"{place.hookd}/config.toml: runs.enabled",
        f"{place.hookd}/hooks/one.py: hook",
    )
    assert (found.sources, found.config) == ([], DEFAULTS)
    place.trust()
    found = place.read()
    assert found.waiting == ()
    assert (found.config.on_failure, found.config.runs.enabled) == ("allow", False)


def test_the_bytes_that_were_trusted_run_although_the_disk_has_changed(place: Place) -> None:
    hook = place.write("project/.hookd/hooks/one.py", "trusted")
    place.trust()
    hook.write_text("changed")
    assert place.found() == {"project/.hookd/hooks/one.py": b"trusted"}
    assert place.read().waiting == (f"{hook}: hook",)
    hook.unlink()
    assert place.found() == {"project/.hookd/hooks/one.py": b"trusted"}


def test_a_tampered_snapshot_lets_nothing_through(place: Place) -> None:
    place.write("project/.hookd/hooks/one.py", "good code")
    place.trust()
    snapshot = trust.snapshot_path(place.folders, str(place.project))
    snapshot.write_bytes(snapshot.read_bytes().replace(b"good code", b"evil code"))
    assert place.found() == {}


def test_only_the_hooks_folder_itself_is_loaded(place: Place) -> None:
    for name in ("hooks/one.py", "hooks/deep/two.py", "other/three.py", "four.py", "hooks/five.txt"):
        place.write(f"project/.hookd/{name}")
    place.trust()
    assert set(place.found()) == {"project/.hookd/hooks/one.py"}


def test_a_trusted_hook_cannot_be_taken_out_by_a_link(place: Place) -> None:
    """Else a repository could switch off a guard by making it a second name for something harmless."""
    guard = place.write("project/.hookd/hooks/guard.py", "guard")
    harmless = place.write("project/.hookd/hooks/harmless.py", "harmless")
    mine = place.write("config/hooks/mine.py", "mine")
    place.trust()
    for target in (harmless, mine):
        guard.unlink()
        guard.symlink_to(target)
        assert place.found() == {
            "config/hooks/mine.py": b"mine",
            "project/.hookd/hooks/guard.py": b"guard",
            "project/.hookd/hooks/harmless.py": b"harmless",
        }
    (place.hookd / "hooks").rename(place.hookd / "old")
    (place.hookd / "hooks").symlink_to(place.folders.hooks)
    assert place.found()["project/.hookd/hooks/guard.py"] == b"guard"


def test_a_projects_hook_that_the_person_also_named_is_loaded_once(place: Place) -> None:
    hook = place.write("project/.hookd/hooks/one.py", "one")
    place.sources = place.look([str(hook)])
    place.trust()
    assert place.found() == {"project/.hookd/hooks/one.py": b"one"}


def test_paths_of_a_trusted_project_are_trusted_bytes_too(place: Place) -> None:
    place.write(
        "project/.hookd/config.toml", "[hooks]\npaths = ['extra', 'lib/one.py', './extra/../lib/two.py']"
    )
    for name in ("extra/a.py", "extra/deep/b.py", "lib/one.py", "lib/two.py", "lib/three.py"):
        place.write(f"project/.hookd/{name}", "trusted")
    assert place.found() == {}
    place.trust()
    wanted = {f"project/.hookd/{name}": b"trusted" for name in ("extra/a.py", "lib/one.py", "lib/two.py")}
    assert place.found() == wanted
    changed = place.write("project/.hookd/extra/a.py", "changed")
    added = place.write("project/.hookd/extra/new.py", "new")
    assert place.sources.changed()
    assert place.found() == wanted
    assert place.read().waiting == (f"{changed}: hook", f"{added}: hook")


def test_a_trusted_project_cannot_name_hooks_that_trust_does_not_cover(place: Place) -> None:
    place.write("project/tools/one.py")
    outside = place.write("outside.py")
    place.write(
        "project/.hookd/config.toml", f"[hooks]\npaths = ['../tools', '{outside}', '../../outside.py']"
    )
    place.trust()
    assert place.found() == {}
    problems = place.read().problems
    assert len(problems) == 3
    assert all("outside .hookd/" in problem for problem in problems)


def test_the_person_may_name_hooks_in_the_project(place: Place) -> None:
    place.write("project/tools/one.py", "one")
    place.write("config/config.toml", f"[hooks]\npaths = ['{place.project}/tools']")
    assert place.found() == {"project/tools/one.py": b"one"}


def test_an_untrusted_config_only_tightens(place: Place) -> None:
    place.write("config/config.toml", "[gate]\non_failure = 'ask'")
    place.write("project/.hookd/config.toml", "[gate]\non_failure = 'deny'\n[limits]\nhook_seconds = 1")
    found = place.read()
    assert found.config.on_failure == "deny"
    assert found.config.limits.hook_seconds == DEFAULTS.limits.hook_seconds


def test_a_change_to_a_trusted_config_only_tightens(place: Place) -> None:
    place.write("project/.hookd/config.toml", "[gate]\non_failure = 'deny'\n[limits]\nhook_seconds = 1")
    place.trust()
    place.write("project/.hookd/config.toml", "[gate]\non_failure = 'allow'\n[limits]\nhook_seconds = 100")
    found = place.read()
    assert (found.config.on_failure, found.config.limits.hook_seconds) == ("deny", 1)
    (place.hookd / "config.toml").unlink()
    assert place.read().config.on_failure == "deny"


def test_managed_wins_over_user_and_project(place: Place) -> None:
    place.write("config/config.toml", "[gate]\non_failure = 'allow'\n[limits]\nhook_seconds = 1")
    place.write("project/.hookd/config.toml", "[gate]\non_failure = 'ask'\n[limits]\nhook_seconds = 2")
    place.write("project/.hookd/config.local.toml", "[limits]\nhook_seconds = 3\nload_seconds = 4")
    place.write("managed.toml", "[gate]\non_failure = 'deny'")
    place.trust()
    found = place.read().config
    assert (found.on_failure, found.limits.hook_seconds, found.limits.load_seconds) == ("deny", 3, 4)


BROKEN = ["[hooks", "[hooks]\nenabled = 'yes'", "[nonsense]", "x = " + "[" * 5000]


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize("name", ["config/config.toml", "managed.toml"])
def test_a_broken_config_keeps_its_last_good_version_and_says_so(place: Place, name: str, text: str) -> None:
    path = place.write(name, "[gate]\non_failure = 'deny'")
    assert place.read().config.on_failure == "deny"
    path.write_text(text)
    found = place.read()
    assert found.config.on_failure == "deny"
    [problem] = found.problems
    assert str(path) in problem
    assert problem.endswith("its last good version stays in force")
    path.write_text("[gate]\non_failure = 'allow'")
    assert place.read().config.on_failure == "allow"
    assert place.read().problems == ()


@pytest.mark.parametrize("name", ["config/config.toml", "managed.toml"])
def test_a_config_that_was_removed_does_not_come_back(place: Place, name: str) -> None:
    path = place.write(name, "[gate]\non_failure = 'deny'")
    assert place.read().config.on_failure == "deny"
    path.unlink()
    assert place.read().config.on_failure == "ask"
    path.write_text("[hooks")
    assert place.read().config.on_failure == "ask"


@pytest.mark.parametrize("text", BROKEN)
def test_a_config_that_is_broken_from_the_start_is_ignored_and_says_so(place: Place, text: str) -> None:
    place.write("config/config.toml", text)
    found = place.read()
    assert found.config == DEFAULTS
    [problem] = found.problems
    assert problem.endswith("it is ignored")


def test_a_config_that_cannot_be_read_keeps_its_last_good_version_and_says_so(place: Place) -> None:
    path = place.write("config/config.toml", "[gate]\non_failure = 'deny'")
    place.read()
    path.unlink()
    path.mkdir()
    found = place.read()
    assert found.config.on_failure == "deny"
    assert found.problems == (f"{path} cannot be read; its last good version stays in force",)


def test_a_config_that_was_removed_is_no_problem(place: Place) -> None:
    path = place.write("config/config.toml", "[gate]\non_failure = 'deny'")
    place.read()
    path.unlink()
    assert place.read() == (DEFAULTS, [], False, (), (), {"rules": (), ".": ()}, {}, {})


@pytest.mark.parametrize("target", ["/dev/zero", "pipe", "huge"])
def test_a_repository_cannot_make_hookd_read_for_ever(place: Place, target: str) -> None:
    place.hookd.mkdir()
    os.mkfifo(place.hookd / "pipe")
    with (place.hookd / "huge").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("config.toml", "hooks/one.py"):
        (place.hookd / name).parent.mkdir(exist_ok=True)
        (place.hookd / name).symlink_to(target if target.startswith("/") else place.hookd / target)
    found = place.read()
    assert (found.config, found.sources) == (DEFAULTS, [])
    assert found.problems == (f"{place.hookd}/config.toml cannot be read; it is ignored",)


def test_what_was_never_trusted_does_not_stand_in_for_a_broken_trusted_config(place: Place) -> None:
    path = place.write("project/.hookd/config.toml", "[gate]\non_failure = 'allow'")
    assert place.read().config.on_failure == "ask"
    path.write_text("[gate")
    place.trust()
    assert place.read().config.on_failure == "ask"


def test_names_that_are_no_text_can_be_shown_and_sent(place: Place) -> None:
    odd = os.fsdecode(b"od\xff.py")
    place.write(f"config/hooks/{odd}")
    place.write(f"project/.hookd/hooks/{odd}")
    found = place.read()
    [source] = found.sources
    assert source.path == f"{place.folders.hooks}/od?.py"
    assert found.waiting == (f"{place.hookd}/hooks/od?.py: hook",)
    place.sources.settle([source], broken=set())
    assert place.read().sources[0].last_good == b"code"


def test_the_last_good_version_of_a_hook_goes_with_it(place: Place) -> None:
    hook = place.write("config/hooks/one.py", "good")
    other = place.write("config/hooks/two.py", "bad from the start")
    [one, two] = place.read().sources
    assert (one.last_good, two.last_good) == (None, None)
    place.sources.settle([one, two], broken={str(other)})
    hook.write_text("broken")
    [one, two] = place.read().sources
    assert (one.code, one.last_good, two.last_good) == (b"broken", b"good", None)
    place.sources.settle([one, two], broken={str(hook), str(other)})
    assert place.read().sources[0].last_good == b"good"


def rules(place: Place) -> list[tuple[str, str, bytes]]:
    return [
        (os.path.relpath(file.path, place.base), file.origin, file.text)
        for file in place.read().files["rules"]
    ]


def test_files_of_rules_are_found_with_whose_they_are(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capability_files, "MANAGED_FOLDER", str(place.base / "etc"))
    place.write("etc/rules/z.toml", "managed")
    place.write("config/rules/b.toml", "b")
    place.write("config/rules/a.toml", "a")
    place.write("config/rules/notes.md")
    place.write("config/rules/.c.toml")
    place.write("project/.hookd/rules/p.toml", "p")
    assert rules(place) == [
        ("config/rules/a.toml", "user", b"a"),
        ("config/rules/b.toml", "user", b"b"),
        ("project/.hookd/rules/p.toml", "untrusted", b"p"),
        ("etc/rules/z.toml", "managed", b"managed"),
    ]
    assert place.read().waiting == (f"{place.hookd}/rules/p.toml: rules",)


def test_trusted_rules_are_the_bytes_that_were_trusted_and_a_change_waits(place: Place) -> None:
    place.write("project/.hookd/rules/p.toml", "one")
    place.trust()
    assert rules(place) == [("project/.hookd/rules/p.toml", "project", b"one")]
    place.write("project/.hookd/rules/p.toml", "two!")
    assert rules(place) == [
        ("project/.hookd/rules/p.toml", "project", b"one"),
        ("project/.hookd/rules/p.toml", "untrusted", b"two!"),
    ]


def test_changes_of_rules_are_noticed(place: Place) -> None:
    assert rules(place) == []
    path = place.write("config/rules/a.toml", "a")
    assert not place.unchanged()
    place.read()
    assert place.unchanged()
    path.write_text("longer")
    assert not place.unchanged()
    place.read()
    path.unlink()
    assert not place.unchanged()


def test_rules_that_were_good_stay_at_hand_for_the_next_daemon(place: Place) -> None:
    path = place.write("config/rules/a.toml", "good")
    place.sources.settle_files(place.read().files["rules"])
    path.write_text("broken")
    place.sources = place.look()
    [file] = place.read().files["rules"]
    assert (file.text, file.last_good) == (b"broken", b"good")


def test_an_untrusted_version_is_never_a_good_one(place: Place) -> None:
    path = place.write("project/.hookd/rules/a.toml", "evil")
    place.sources.settle_files(place.read().files["rules"])
    path.write_text("broken")
    [file] = place.read().files["rules"]
    assert (file.origin, file.last_good) == ("untrusted", None)


def test_what_the_managed_config_says_is_handed_on_by_itself(place: Place) -> None:
    place.write("config/config.toml", '[gate.rules]\n"git.clean" = "allow"\n')
    place.managed.parent.mkdir(parents=True, exist_ok=True)
    place.managed.write_text('[gate.rules]\n"git.clean" = "deny"\n')
    assert place.read().managed == {"gate": {"rules": {"git.clean": "deny"}}}


def test_files_in_folders_of_their_own_are_found_by_their_pattern(place: Place) -> None:
    kind = FileKind("packs", ("*/pack.toml", "*/lessons/*.md"), "pack")
    capability = Capability(name="toy", about="", files=(kind,))
    sources = Sources(str(place.project), place.folders, (), (capability,))
    place.write("config/packs/a/pack.toml", "a")
    place.write("config/packs/a/lessons/one.md", "one")
    place.write("config/packs/a/lessons/deep/two.md")
    place.write("config/packs/stray.toml")
    place.write("project/.hookd/packs/b/pack.toml", "b")
    found = sources.read()
    shown = [(os.path.relpath(file.path, place.base), file.origin) for file in found.files["packs"]]
    assert shown == [("config/packs/a/lessons/one.md", "user"), ("config/packs/a/pack.toml", "user")]
    assert found.waiting == (f"{place.hookd}/packs/b/pack.toml: pack",)
    place.trust()
    found = sources.read()
    assert [file.origin for file in found.files["packs"]] == ["user", "user", "project"]
    assert found.waiting == ()
    assert not sources.changed()
    place.write("config/packs/a/lessons/three.md", "three")
    assert sources.changed()
