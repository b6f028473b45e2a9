"""What interop-test and schema-test have in common: packages from PyPI, and a gateway."""
import filecmp
import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
ME = os.path.basename(sys.argv[0])


def run_with(requirements: str, folder: str) -> None:
    """Goes on in a Python that has what the file names; it is made, in .build, unless it is there for this file."""
    home = os.path.join(ROOT, ".build", folder)
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(home, "env")):
        python = environment(os.path.join(HERE, requirements), home)
        os.execv(python, [python, os.path.abspath(sys.argv[0]), *sys.argv[1:]])


def environment(requirements: str, home: str) -> str:
    mark = os.path.join(home, "requirements.txt")
    python = os.path.join(home, "env", "bin", "python")
    if os.path.exists(mark) and filecmp.cmp(requirements, mark, shallow=False):
        return python
    if sys.version_info < (3, 11):
        unavailable("needs Python 3.11 or newer")
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    print(f"Installing what {os.path.basename(requirements)} names …", file=sys.stderr)
    if subprocess.run([sys.executable, "-m", "venv", os.path.join(home, "env")]).returncode != 0:
        unavailable("cannot make a virtual environment (the package python3-venv)")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements]
    try:
        done = subprocess.run(install, stdin=subprocess.DEVNULL, timeout=900).returncode == 0
    except subprocess.TimeoutExpired:
        done = False
    if not done:
        unavailable(f"could not install {os.path.basename(requirements)} from PyPI; is the network there?")
    shutil.copy(requirements, mark)
    return python


def unavailable(reason: str) -> None:
    print(f"{ME}: {reason}; nothing was tried", file=sys.stderr)
    sys.exit(75)


class Gateway:
    """A real one. Without a broker it stores what it takes."""

    TOKEN = "interop-0123456789abcdef0123456789abcdef"

    def __init__(self, program: str, folder: str) -> None:
        self.folder, self.database = folder, os.path.join(folder, "gateway.sqlite")
        os.makedirs(os.path.join(folder, "hooks"))
        self.program, self.port = program, 0

    def add(self, name: str, hook: str, changes: dict[str, str], files: dict[str, bytes]) -> None:
        with open(os.path.join(ROOT, "provisioning", "hooks", f"{hook}.yaml"), encoding="utf-8") as file:
            text = file.read()
        mine = os.path.join(self.folder, name)
        os.mkdir(mine)
        for old, new in (changes | {"/etc/soundbox-gateway": mine}).items():
            text = text.replace(old, new)
        self.write(os.path.join("hooks", f"{name}.yaml"), text.encode())
        for path, content in files.items():
            self.write(os.path.join(name, path), content)

    def write(self, path: str, content: bytes) -> None:
        with open(os.path.join(self.folder, path), "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(content)

    def start(self, broker: int | None = None, until: str = " listening") -> None:
        """`broker` is its port, and `until` what the log says then."""
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            self.port, nobody = one.getsockname()[1], other.getsockname()[1]
        self.write("tokens", f"interop {self.TOKEN} rights=payments,read,commands\n".encode())
        self.write("gateway.yaml", f"""client_id: gateway-interop
broker: {{url: "mqtt://127.0.0.1:{broker or nobody}"}}
listen: "127.0.0.1:{self.port}"
tokens_file: "{self.folder}/tokens"
database: "{self.database}"
hooks: "{self.folder}/hooks"
""".encode())
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--config", os.path.join(self.folder, "gateway.yaml")], stdout=log, stderr=log)
        while True:
            with open(self.log, encoding="utf-8") as log:
                text = log.read()
            if until in text:
                break
            if self.process.poll() is not None:
                sys.exit(f"the gateway ended:\n{text}")
            time.sleep(0.05)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(self, name: str, request: object) -> int:
        while True:
            self.connection.putrequest("POST", f"/hooks/{name}", skip_accept_encoding=True)
            for header, value in request.headers.items():
                self.connection.putheader(header, value.encode("latin-1"))
            self.connection.putheader("Content-Length", str(len(request.body)))
            self.connection.endheaders(request.body)
            answer = self.connection.getresponse()
            answer.read()
            if answer.status != 429:
                return answer.status
            time.sleep(1)

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def payments(self) -> dict[str, str]:
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as database:
            notices = [json.loads(row[0]) for row in database.execute("SELECT notice FROM payment")]
        return {notice["id"]: f"{notice['amount']} {notice['currency']}" for notice in notices}
