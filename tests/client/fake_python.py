# ruff: noqa: PTH123 - pathlib would double the time it takes to start
"""Stands in for the interpreter that hookd is installed for.

The clients run it as `PYTHON FLAGS -m hookd ...`. It notes what it was given in `records/`, beside
itself, and does what `plan.json` says. It must not need hookd, nor anything of the environment.
"""

import fcntl
import json
import os
import signal
import socket
import struct
import sys

HERE = os.path.dirname(os.path.realpath(sys.argv[0]))
with open(f"{HERE}/plan.json", encoding="utf-8") as file:
    PLAN = json.load(file)


def record(kind, **facts):
    facts |= {
        "argv": [os.fsencode(word).decode("latin-1") for word in sys.argv[1:]],
        "env": dict(os.environ),
        "cwd": os.getcwd(),
        "pid": os.getpid(),
        "ppid": os.getppid(),
        "group": os.getpgrp(),
        "session": os.getsid(0),
    }
    path = f"{HERE}/records/{kind}-{os.getpid()}.json"
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(facts, file)
    os.rename(path + ".new", path)


def open_descriptors():
    found = {}
    for name in os.listdir("/dev/fd"):
        try:
            facts = os.fstat(int(name))
        except OSError:  # the one that listed the folder
            continue
        found[int(name)] = [facts.st_dev, facts.st_ino]
    return found


def is_locked(path):
    with open(path, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def receive(connection, length):
    data = b""
    while len(data) < length:
        chunk = connection.recv(length - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return data


def run_daemon():
    signal.alarm(100)  # no test needs it longer, and none may leave it behind
    umask = os.umask(0o077)
    record("daemon", descriptors=open_descriptors(), umask=umask, locked=is_locked(PLAN["lock"]))
    if PLAN.get("daemon") == "dies":
        sys.exit(3)
    if PLAN.get("daemon") == "hides":
        signal.pause()
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if os.path.exists(PLAN["socket"]):
        os.unlink(PLAN["socket"])
    server.bind(PLAN["socket"])
    server.listen(100)
    body = struct.pack("<BI", 0, 14) + b"from a spawned"
    while True:
        connection, _ = server.accept()
        with connection:
            try:
                _, header, payload = struct.unpack("<4sII", receive(connection, 12))
                receive(connection, header + payload)
                connection.sendall(b"A" + bytes(4) + struct.pack("<cI", b"R", len(body)) + body)
            except (EOFError, OSError):
                pass


def run_hook():
    payload = sys.stdin.buffer.read() if PLAN.get("reads", True) else b""
    record("hook", payload_length=len(payload), payload=payload[:100].decode("latin-1"))
    output = PLAN.get("stdout", "").encode() * PLAN.get("times", 1)
    if PLAN.get("echoes"):
        output = payload
    if "--echo" in sys.argv and "answers" not in PLAN:
        output = sys.argv[sys.argv.index("--nonce") + 1].encode() + b"\n" + output
    sys.stdout.buffer.write(PLAN.get("answers", "").encode() + output)
    sys.stdout.flush()
    if PLAN.get("stderr"):
        sys.stderr.write(PLAN["stderr"])
    if PLAN.get("leaves_a_child") and os.fork() == 0:
        record("child")
        signal.alarm(100)
        signal.pause()
    if PLAN.get("hangs"):
        if os.fork() == 0:
            record("child")
        signal.alarm(100)
        signal.pause()
    if PLAN.get("signal"):
        os.kill(os.getpid(), PLAN["signal"])
    sys.stdout.flush()
    os._exit(PLAN.get("exit", 0))


if sys.argv[-1] == "--version":
    print("fake")
elif "daemon" in sys.argv:
    run_daemon()
else:
    run_hook()
