"""What a canary tries: each is refused wherever the sandbox works."""

from __future__ import annotations

from collections.abc import Iterable

PROGRAM = """
import ctypes, os, signal, socket

libc = ctypes.CDLL(None, use_errno=True)

def number(name):
    machine = os.uname().machine
    return {"x86_64": {"ptrace": 101, "bpf": 321, "io_uring_setup": 425, "keyctl": 250, "mount": 165,
                       "unshare": 272, "userfaultfd": 323, "perf_event_open": 298, "setns": 308},
            "aarch64": {"ptrace": 117, "bpf": 280, "io_uring_setup": 425, "keyctl": 219, "mount": 40,
                        "unshare": 97, "userfaultfd": 282, "perf_event_open": 241, "setns": 268}}[machine][name]

def call(name):
    if libc.syscall(number(name), 0, 0, 0, 0, 0, 0) < 0 and ctypes.get_errno() in (1, 13):
        raise PermissionError(name)

def write(path):
    with open(path, "w") as file:
        file.write("escaped")

def fork(_):
    if os.fork() == 0:
        os._exit(0)

def connect(port):
    socket.create_connection(("127.0.0.1", port), 1).close()

def named(_):
    socket.socket(socket.AF_UNIX)

def run(path):
    os.execv(path, [path])

def wide(_):
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

def root(_):
    os.setuid(0)

def kill(pid):
    os.kill(pid, 0)

def read(path):
    open(path).read()

def look(places):
    path, *ours = places
    if set(os.listdir(path)) <= set(ours):
        raise OSError("nothing of the machine is seen")

def shared_memory(_):
    if libc.shmget(0, 4096, 0o1600) < 0:
        raise OSError(ctypes.get_errno(), "shmget")

THINGS = {
    "read": read, "list": look, "write": write, "mkdir": os.mkdir, "remove": os.remove,
    "link": lambda path: os.link(path, "linked"), "rename": lambda path: os.rename(path, path + "2"),
    "chmod": lambda path: os.chmod(path, 0o600), "touch": lambda path: os.utime(path, (0, 0)),
    "truncate": lambda path: os.truncate(path, 0),
    "open to truncate": lambda path: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)),
    "fork": fork, "run": run, "connect": connect, "unix socket": named, "shared memory": shared_memory,
    "raise limits": wide, "become root": root, "signal": kill, "call": call,
}

def attempt(thing, argument):
    import encodings.idna, sqlite3, xml.dom.minidom, zoneinfo
    try:
        THINGS[thing](argument)
    except (OSError, ValueError):
        return "refused"
    return "done"
"""


def forbidden(folder: str, port: int, judge: int, readable: Iterable[str]) -> list[tuple[str, object]]:
    """(thing, argument) pairs; `folder` is world-writable and holds `secret`, `port` listens, `judge` is our pid.

    A folder on the way to one of the `readable` ones may be seen, with nothing else in it.
    """
    ours = sorted({part for path in readable for part in path.split("/")})
    calls = ["ptrace", "bpf", "io_uring_setup", "keyctl", "mount", "unshare", "userfaultfd", "perf_event_open", "setns"]
    return [
        ("read", f"{folder}/secret"),
        ("read", "/etc/passwd"),
        ("read", f"/proc/{judge}/cmdline"),
        ("read", "/proc/self/environ"),
        ("list", [folder, *ours]),
        ("list", ["/etc", *ours]),
        ("list", ["/proc", *ours]),
        ("list", ["/home", *ours]),
        ("list", ["/tmp", *ours]),
        ("write", f"{folder}/planted"),
        ("write", f"{folder}/secret"),
        ("link", f"{folder}/secret"),
        ("chmod", f"{folder}/secret"),
        ("truncate", f"{folder}/secret"),
        ("open to truncate", f"{folder}/secret"),
        ("rename", f"{folder}/secret"),
        ("remove", f"{folder}/secret"),
        ("touch", f"{folder}/secret"),
        ("mkdir", f"{folder}/planted"),
        ("shared memory", 0),
        ("write", "/planted"),
        ("fork", 0),
        ("connect", port),
        ("unix socket", 0),
        ("run", "/bin/true"),
        ("raise limits", 0),
        ("become root", 0),
        ("signal", 1),
        ("signal", judge),
        *(("call", name) for name in calls),
    ]
