"""A machine of one's own for a test: user, network, mount and process namespaces.

Everything that a test starts is in them. So no port clashes with anything, /etc/hosts can be the test's, networks can be
cut, no root is needed, and nothing outlives the test, not even when it is killed."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

FOLDER = "SOUNDBOX_TEST_FOLDER"
UNSHARE = [
    "unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def enter(name: str, keep: bool = False) -> str:
    """Begins the program anew inside of namespaces, with the same arguments. Returns there, with the path of a folder.
    Outside it does not return: the program ends with the status of the one inside, and the folder is removed unless
    that failed or `keep` is set."""
    if folder := os.environ.get(FOLDER):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        # Where ip-netns(8) keeps names.
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        return folder
    folder = tempfile.mkdtemp(prefix=f"soundbox-{name}.")
    # Ctrl-C reaches the one inside as well, which ends what it has started.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inside = subprocess.Popen(
        [*UNSHARE, sys.executable, *sys.argv], env=dict(os.environ, **{FOLDER: folder}),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))

    def end(*_: object) -> None:
        # unshare(1) passes no SIGTERM on; with it, everything inside ends.
        inside.kill()

    signal.signal(signal.SIGTERM, end)
    status = inside.wait()
    if status == 0 and not keep or status in (130, -signal.SIGINT, -signal.SIGKILL):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"The logs are in {folder}.", file=sys.stderr)
    sys.exit(status if status >= 0 else 128 - status)


def resolve(names: dict[str, list[str]], folder: str) -> None:
    """Has each name stand for these addresses, for everything inside of the namespaces."""
    path = os.path.join(folder, "hosts")
    with open(path, "w", encoding="utf-8") as file:
        file.write("127.0.0.1 localhost\n")
        file.writelines(f"{address} {name}\n" for name, addresses in names.items() for address in addresses)
    subprocess.run(["mount", "--bind", path, "/etc/hosts"], check=True)


class Network:
    """A bridge that machines hang on, each a network namespace. The test itself has the address .254."""

    def __init__(self, name: str, prefix: str) -> None:
        self.name, self.prefix = name, prefix
        _ip("link", "add", name, "type", "bridge")
        _ip("addr", "add", f"{prefix}.254/24", "dev", name)
        _ip("link", "set", name, "up")

    def attach(self, machine: str, number: int) -> str:
        """Gives a machine the address of this number, and returns it."""
        address = f"{self.prefix}.{number}"
        _ip("link", "add", self._cable(machine), "type", "veth", "peer", "name", self.name, "netns", machine)
        _ip("link", "set", self._cable(machine), "master", self.name, "up")
        inside = ["nsenter", f"--net=/run/netns/{machine}", "ip"]
        subprocess.run([*inside, "addr", "add", f"{address}/24", "dev", self.name], check=True)
        subprocess.run([*inside, "link", "set", self.name, "up"], check=True)
        return address

    def cut(self, machine: str) -> None:
        """What is sent is lost from now on; nobody is told."""
        _ip("link", "set", self._cable(machine), "nomaster")

    def mend(self, machine: str) -> None:
        _ip("link", "set", self._cable(machine), "master", self.name)

    def _cable(self, machine: str) -> str:
        return f"{self.name}-{machine}"


def add_machine(name: str) -> None:
    """A network namespace with a loopback of its own."""
    os.makedirs("/run/netns", exist_ok=True)
    _ip("netns", "add", name)
    subprocess.run(["nsenter", f"--net=/run/netns/{name}", "ip", "link", "set", "lo", "up"], check=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
