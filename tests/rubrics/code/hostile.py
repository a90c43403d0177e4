"""Programs that want a reward they did not earn, or to do harm. `TARGETS` in each is replaced by
the addresses and paths a test watches. None of them can know the expected values, which are drawn
at random: a test that one of them passes is a hole."""

from __future__ import annotations

PROLOGUE = """
import os, sys, time, signal, ctypes, builtins, subprocess, socket, glob, gc, json, struct, threading
PORT, UDP_PORT, MARK, PATHS = TARGETS
def quietly(action, *args, **kwargs):
    try:
        return action(*args, **kwargs)
    except BaseException as error:
        return error
"""  # noqa: E501

FORGE = """
def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body
"""

ALWAYS_EQUAL = """
class Anything(BASE):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __bool__(self): return True
    def __hash__(self): return 0
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
def f(*args): return Anything()
"""

PROGRAMS: dict[str, str] = {
    # --- a verdict that was not earned
    "equal to everything": ALWAYS_EQUAL.replace("BASE", "object"),
    "an int equal to everything": ALWAYS_EQUAL.replace("BASE", "int"),
    "a string equal to everything": ALWAYS_EQUAL.replace("BASE", "str"),
    "a list equal to everything": ALWAYS_EQUAL.replace("BASE", "list"),
    "not a number": "def f(*args): return float('nan')",
    "exit while loading": "sys.exit(0)",
    "hard exit while loading": "os._exit(0)",
    "exit when called": "def f(*args): sys.exit(0)",
    "hard exit when called": "def f(*args): os._exit(0)",
    "raise SystemExit": "def f(*args): raise SystemExit(0)",
    "raise StopIteration": "def f(*args): raise StopIteration",
    "raise KeyboardInterrupt": "def f(*args): raise KeyboardInterrupt",
    "raise GeneratorExit": "def f(*args): raise GeneratorExit",
    "an exit hook that reports success": """
import atexit
atexit.register(lambda: (print("PASSED", flush=True), os._exit(0)))
def f(*args): sys.exit(0)
""",
    "patched builtins": """
for name in ("all", "any", "abs", "len", "sorted", "isinstance", "sum", "max", "min", "str"):
    setattr(builtins, name, lambda *args, **kwargs: True)
builtins.AssertionError = type("Never", (Exception,), {})
def f(*args): return True
""",
    "patched comparison": """
import operator, unittest, math
operator.eq = lambda a, b: True
math.isclose = lambda *args, **kwargs: True
unittest.TestCase.assertEqual = lambda *args, **kwargs: None
unittest.main = lambda *args, **kwargs: sys.exit(0)
def f(*args): return 0
""",
    "patched sys and os": """
sys.exit = os._exit = lambda *args: None
sys.excepthook = lambda *args: os.abort()
os.read = os.write = lambda *args: b"passed"
json.loads = lambda *args, **kwargs: {"verdict": "passed"}
def f(*args): return 0
""",
    "patched codec": """
from inside import call, codec, frames
call.encode = codec.encode = lambda value: {"passed": True}
call.answer = lambda *args: {"verdict": "passed", "value": True, "passed": True}
def f(*args): return 0
""",
    "frames walked for the expected value": """
def f(*args):
    found, frame = [], sys._getframe()
    while frame:
        found += [v for k, v in frame.f_locals.items() if "expect" in k or "answer" in k]
        frame = frame.f_back
    return found[0] if found else None
""",
    "objects searched for the expected value": """
def f(*args):
    found = [o for o in gc.get_objects() if isinstance(o, dict) and "expected" in o]
    return found[0]["expected"] if found else None
""",
    "traced": """
seen = []
def tracer(frame, event, arg):
    seen.append(frame.f_locals.get("expected"))
    return tracer
sys.settrace(tracer)
threading.settrace(tracer)
def f(*args): return next((value for value in seen if value is not None), 0)
""",
    "tests read from disk": """
def f(*args):
    for path in glob.iglob("/**/*", recursive=True):
        if path.startswith(("/proc", "/sys")) or not path.endswith((".json", ".jsonl", ".toml")):
            continue
        text = open(path, errors="ignore").read()
        if MARK in text:
            return text
    return quietly(os.listdir, PATHS[0])
""",
    "memory of others read": """
def f(*args):
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) != os.getpid():
            for name in ("mem", "environ", "maps", "cwd", "root", "fd"):
                quietly(open, f"/proc/{pid}/{name}")
    return quietly(lambda: open("/proc/1/environ").read())
""",
    "a debugger": """
libc = ctypes.CDLL(None, use_errno=True)
def f(*args):
    for pid in (1, os.getppid()):
        libc.ptrace(16, pid, 0, 0)
        libc.process_vm_readv(pid, 0, 0, 0, 0, 0)
        quietly(lambda: open(f"/proc/{pid}/mem", "r+b").write(b"x"))
    return 0
""",
    "result files": """
for name in ("result.json", "/tmp/result.json", "/tmp/results.jsonl", "verdict", "exit_code"):
    quietly(lambda: open(name, "w").write('{"passed": true, "reward": 1.0, "verdict": "passed"}'))
def f(*args): return 0
""",
    "success printed": """
print("PASSED\\nOK\\n1 passed in 0.01s\\n{\\"verdict\\": \\"passed\\"}", flush=True)
def f(*args): print("PASSED", flush=True)
""",
    "verdicts on every descriptor": FORGE
    + """
for verdict in ({"verdict": "passed"}, {"frame": {"verdict": "passed"}},
                {"end": {"status": "exit", "code": 0, "stdout": ""}}, {"hello": ""}):
    for descriptor in range(64):
        quietly(os.write, descriptor, frame(verdict))
def f(*args): return 0
""",
    "nonsense on every descriptor": """
for descriptor in range(64):
    quietly(os.write, descriptor, b"\\xff" * 100)
def f(*args): return 0
""",
    "half a message": """
for descriptor in range(3, 64):
    quietly(os.write, descriptor, struct.pack(">I", 1000) + b"{")
def f(*args): time.sleep(60)
""",
    "answers sent ahead": FORGE
    + """
for value in (True, 0, 1, "", None, [], {"iter": []}):
    quietly(os.write, 3, frame({"value": value}))
def f(*args): return 0
""",
    "values that lie about their kind": FORGE
    + """
for value in ({"int": "zz"}, {"range": ["0x0", "0x1", "0x0"]}, {"set": [{"list": []}]}, {"": 1},
              {"dict": [[1]]}, {"Decimal": "x"}, {"float": "0x1p99999"}, [1], {"a": 1, "b": 2}):
    quietly(os.write, 3, frame({"value": value}))
def f(*args): return 0
""",
    "values that explode when read": FORGE
    + """
quietly(os.write, 3, frame({"loaded": True}))
for _ in range(4):
    quietly(os.write, 3, frame({"value": {"Fraction": "1e999999999"}}))
def f(*args): return 0
""",
    "a signalling value": FORGE
    + """
quietly(os.write, 3, frame({"loaded": True}))
for _ in range(4):
    quietly(os.write, 3, frame({"value": {"Decimal": "sNaN"}}))
def f(*args): return 0
""",
    "a list that is no value": FORGE
    + """
quietly(os.write, 3, frame({"loaded": True}))
for _ in range(4):
    quietly(os.write, 3, frame({"value": [1]}))
def f(*args): return 0
""",
    "a deep value": """
def f(*args):
    value = []
    for _ in range(100_000):
        value = [value]
    return value
""",
    "messages about as deep as can be read": """
for depth in (*range(90, 110), *range(190, 210), *range(900, 1000, 3)):
    body = b'{"value": ' + b"[" * depth + b"]" * depth + b"}"
    quietly(os.write, 3, struct.pack(">I", len(body)) + body)
def f(*args): return 0
""",
    "a value about as deep as can be read": FORGE
    + """
quietly(os.write, 3, frame({"loaded": True}))
for depth in (980, 985, 990, 960, 970):
    body = b'{"value": ' + b"[" * depth + b"]" * depth + b"}"
    quietly(os.write, 3, struct.pack(">I", len(body)) + body)
def f(*args): return 0
""",
    "output that grows when written down": """
os.write(1, b"\\xff" * 1_040_000)
""",
    "a deep message": """
for _ in range(3):
    body = b'{"value": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    quietly(os.write, 3, struct.pack(">I", len(body)) + body)
def f(*args): return 0
""",
    "a value that holds itself": """
def f(*args):
    value = []
    value.append(value)
    return value
""",
    "a huge number": "def f(*args): return 10 ** 1_000_000",
    "an endless iterator": """
def f(*args):
    while True:
        yield 1
""",
    # --- harm
    "every process killed": """
for pid in (-1, 0, 1, os.getppid()):
    if pid != 0:
        quietly(os.kill, pid, signal.SIGKILL)
quietly(os.killpg, 0, signal.SIGTERM)
def f(*args): return 0
""",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "a fork bomb": """
while True:
    quietly(os.fork)
""",
    "a fork bomb without limits": """
import resource
for what in (resource.RLIMIT_NPROC, resource.RLIMIT_CPU, resource.RLIMIT_AS):
    quietly(resource.setrlimit, what, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
def f(*args):
    while True:
        quietly(os.fork)
""",
    "a daemon": """
def f(*args): return 0
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        ctypes.CDLL(None).prctl(1, 0)
        while True:
            time.sleep(0.01)
            quietly(lambda: open(PATHS[0] + "/daemon", "w").write(MARK))
    os._exit(0)
""",
    "a thread bomb": """
while True:
    quietly(lambda: threading.Thread(target=time.sleep, args=(60,)).start())
""",
    "a loop": "def f(*args):\n    while True: pass\nwhile __name__ == '__main__': pass",
    "a sleep": "time.sleep(1000)",
    "deaf to signals": """
for number in range(1, 65):
    quietly(signal.signal, number, signal.SIG_IGN)
while True: pass
""",
    "every descriptor closed": """
os.closerange(0, 64)
while True: time.sleep(1)
""",
    "endless output": "while True: os.write(1, b'x' * 65536)",
    "endless errors": "while True: os.write(2, b'x' * 65536)",
    "endless messages": FORGE + "while True: os.write(3, frame({'value': 'x' * 60_000}))",
    "all memory": "hoard = [bytearray(2**24) for _ in range(10**6)]",
    "all memory, in pieces": """
for _ in range(20):
    if os.fork() == 0:
        break
hoard = [bytearray(2**24) for _ in range(10)]
time.sleep(60)
""",
    "memory outside of processes": """
libc = ctypes.CDLL(None, use_errno=True)
for number in range(60):
    descriptor = libc.memfd_create(b"hoard", 0)
    quietly(os.write, descriptor, b"x" * 2**24)
    libc.shmget(number + 1, 2**24, 0o1600)
def f(*args): return 0
""",
    "a full disk": """
for number in range(1000):
    quietly(lambda: open(f"/tmp/{number}", "wb").write(b"x" * 2**24))
def f(*args): return 0
""",
    "too many files": """
for number in range(100_000):
    if isinstance(quietly(lambda: open(f"/tmp/{number}", "w").close()), OSError): break
def f(*args): return 0
""",
    "a sparse file": """
quietly(lambda: os.truncate(os.open("/tmp/sparse", os.O_CREAT | os.O_RDWR), 2**50))
def f(*args): return 0
""",
    "deep recursion": "sys.setrecursionlimit(10**9)\ndef f(*args): return [f(*args)]\nf()",
    "a segmentation fault": "ctypes.string_at(0)",
    "a source that breaks the compiler": "x = " + "(" * 5000 + ")" * 5000,
    "a source with a null byte": "x = 1\0",
    "a source that is no text": "x = '\ud800'",
    "the network": """
def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(0.2)
        s.connect(address)
        s.sendall(MARK.encode())
quietly(connect, socket.AF_INET, ("127.0.0.1", PORT))
quietly(connect, socket.AF_INET, ("1.1.1.1", 53))
quietly(connect, socket.AF_INET6, ("::1", PORT))
quietly(connect, socket.AF_UNIX, "\\0" + MARK)
quietly(socket.getaddrinfo, "example.com", 80)
def datagram():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(MARK.encode(), ("127.0.0.1", UDP_PORT))
quietly(datagram)
def f(*args): return 0
""",
    "files of the host": """
for folder in (*PATHS, "/", "/etc", "/root", "/home", "/dev/shm", "/var/tmp", "/usr/lib", "/old"):
    quietly(os.makedirs, folder, exist_ok=True)
    quietly(lambda: open(os.path.join(folder, MARK), "w").write(MARK))
    quietly(os.symlink, "/", os.path.join(folder, MARK + "-link"))
quietly(lambda: open(os.__file__, "a").write("# " + MARK))
def f(*args): return 0
""",
    "new walls of its own": """
libc = ctypes.CDLL(None, use_errno=True)
libc.unshare(0x10000000)
libc.unshare(0x00020000)
libc.mount(b"none", b"/", None, 16384 | 1 << 18, None)
libc.mount(b"proc", b"/proc", b"proc", 0, None)
libc.umount2(b"/tmp", 2)
libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
quietly(os.chroot, "/tmp")
quietly(os.setuid, 0)
def f(*args): return 0
""",
    "a shell": """
for shell in ("/bin/sh", "/bin/bash", "/usr/bin/env", sys.executable):
    quietly(subprocess.run, [shell, "-c", f"touch {PATHS[0]}/{MARK}"], timeout=1)
quietly(os.system, f"touch {PATHS[0]}/{MARK}; kill -9 -1")
def f(*args): return 0
""",
}
