"""What the tests on brokers share: a folder, programs in it, and their ends."""
import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("SOUNDBOX", f"{ROOT}/.build/release/soundbox")


class Failure(Exception):
    """The test itself cannot go on."""


class Program:
    """A program that runs, and all that it has started."""

    def __init__(self, process: subprocess.Popen[bytes], log: str) -> None:
        self._process, self.log = process, log

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def processor(self) -> float:
        """Seconds."""
        fields = _stat(self.pid)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def processor_of_family(self) -> float:
        """Seconds, with those of all that it has started; 0 where it has ended."""
        ticks = 0
        for pid in self.family():
            with contextlib.suppress(OSError):
                # The latter two are of children that have ended.
                ticks += sum(int(field) for field in _stat(pid)[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def family(self) -> list[int]:
        """The numbers of its process and of all that descend from it."""
        parents: dict[int, list[int]] = {}
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError, ValueError):
                parents.setdefault(int(_stat(int(name))[1]), []).append(int(name))
        family = [self.pid]
        for pid in family:
            family += parents.get(pid, [])
        return family

    @property
    def resident(self) -> float:
        """KiB."""
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024

    def send(self, sign: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, sign)

    async def end(self, sign: signal.Signals = signal.SIGTERM, patience: float = 20) -> None:
        """Returns when it has ended; by SIGKILL, when it does not end in time."""
        self.send(signal.SIGCONT)
        self.send(sign)
        deadline = time.monotonic() + patience
        while not self.has_ended and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        self.send(signal.SIGKILL)
        self._process.wait()

    def text(self) -> str:
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()


def _stat(pid: int) -> list[str]:
    """What the kernel says of a process, from its state on (proc(5))."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


class Stage:
    """Programs that are started in one folder, and all end with it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._programs: list[Program] = []
        self.environment = dict(
            os.environ, HOME=folder, XDG_RUNTIME_DIR=folder, TMPDIR=folder, LC_ALL="C.UTF-8",
            ALSA_CONFIG_PATH=f"/usr/share/alsa/alsa.conf:{self.path('asound.conf')}")
        # A device that takes sound as fast as it is mixed, so that speaking keeps up with any rate.
        self.write("asound.conf", "pcm.fast { type null }\n")

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def write(self, name: str, content: str, mode: int = 0o644) -> str:
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def start(
        self, command: list[str], log: str, machine: str | None = None, environment: dict[str, str] | None = None
    ) -> Program:
        """Starts a program, on the machine of this name if there is one. Its output is added to the log."""
        inside = ["nsenter", f"--net=/run/netns/{machine}"] if machine else []
        with open(self.path(log), "ab") as file:
            process = subprocess.Popen(
                [*inside, *command], env=self.environment | (environment or {}), stdin=subprocess.DEVNULL, stdout=file,
                stderr=file, start_new_session=True, cwd=self.folder)
        program = Program(process, self.path(log))
        self._programs.append(program)
        return program

    async def run(
        self, command: list[str], machine: str | None = None, environment: dict[str, str] | None = None,
        limit: float = 60
    ) -> str:
        """What a program prints, on both ways. Raises ``Failure`` when it does not end well, or in time."""
        inside = ["nsenter", f"--net=/run/netns/{machine}"] if machine else []
        process = await asyncio.create_subprocess_exec(
            *inside, *command, env=self.environment | (environment or {}), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, cwd=self.folder)
        try:
            async with asyncio.timeout(limit):
                output, _ = await process.communicate()
        except TimeoutError as error:
            process.kill()
            raise Failure(f"{' '.join(command)} does not end within {limit:.0f} s") from error
        if process.returncode:
            raise Failure(f"{' '.join(command)}: {output.decode(errors='replace')[-500:]}")
        return output.decode(errors="replace")

    @contextlib.contextmanager
    def open(self) -> Iterator["Stage"]:
        try:
            yield self
        finally:
            for program in self._programs:
                program.send(signal.SIGKILL)


async def wait_for(condition: Callable[[], bool], what: str, limit: float = 30) -> None:
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"{what}: not within {limit:.0f} s")
        await asyncio.sleep(0.05)
