"""Debian's PostgreSQL, started by hand in a folder, without a service."""
import glob
import os
import signal

from stage import Failure, Program, Stage, wait_for

PASSWORD = "of-the-gateways"
# It refuses to run as root, which one is in the test's own namespaces.
UNPRIVILEGED = ["unshare", "--user", "--map-user=1000"]


def home() -> str:
    """The folder of the newest version that Debian has."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if not found:
        raise Failure("PostgreSQL is missing: provisioning/install-dependencies.sh")
    return found[-1]


class Server:
    """One server. It syncs what it commits, as by default."""

    def __init__(self, stage: Stage, name: str, address: str, port: int) -> None:
        """`address`: where clients come to, besides the socket in its folder."""
        self._stage, self.name, self.address, self.port = stage, name, address, port
        self.folder = stage.path(f"postgresql/{name}")
        os.makedirs(self.folder)
        self.program: Program

    async def start(self) -> None:
        """Returns when it takes clients."""
        before = self._ready_count()
        self.program = self._stage.start(
            [*UNPRIVILEGED, f"{home()}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, "-p", str(self.port),
             "-c", f"listen_addresses={self.address}"], f"postgresql-{self.name}.log")
        await wait_for(
            lambda: self.program.has_ended or self._ready_count() > before, f"PostgreSQL {self.name} takes clients", 60)
        if self.program.has_ended:
            raise Failure(f"PostgreSQL has ended: {self.program.text()[-800:]}")

    async def kill(self) -> None:
        """As a machine that loses its power: all of its processes at once. Each is in a session of its own."""
        for pid in self.program.family():
            os.kill(pid, signal.SIGKILL)
        await self.program.end(signal.SIGKILL)

    async def run(self, sql: str) -> str:
        return (await self.call(
            "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command", sql,
            "postgres")).strip()

    async def call(self, program: str, *arguments: str) -> str:
        """A program of PostgreSQL's, as the superuser of this server."""
        return await self._stage.run([
            f"{home()}/{program}", "--host", self.folder, "--port", str(self.port), "--username", "postgres", *arguments])

    def _ready_count(self) -> int:
        path = self._stage.path(f"postgresql-{self.name}.log")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="utf-8", errors="replace") as file:
            return len([line for line in file if "ready to accept" in line and "connections" in line])


class Database:
    """The role and the database of gateway.md, on two servers: what is committed is on both."""

    def __init__(self, stage: Stage, address: str) -> None:
        self._stage = stage
        self.primary, self.standby = Server(stage, "primary", address, 5432), Server(stage, "standby", address, 5433)

    async def prepare(self) -> None:
        primary, standby = self.primary, self.standby
        secret = self._stage.write("postgresql/superuser", "of-the-superuser\n")
        await self._stage.run([
            *UNPRIVILEGED, f"{home()}/initdb", "--pgdata", f"{primary.folder}/data", "--username", "postgres",
            "--auth-local", "trust", "--auth-host", "scram-sha-256", "--pwfile", secret, "--locale", "C.UTF-8"])
        with open(f"{primary.folder}/data/pg_hba.conf", "a", encoding="utf-8") as file:
            file.write("host all all samenet scram-sha-256\n")
        await primary.start()
        await primary.run(f"CREATE ROLE soundbox LOGIN PASSWORD '{PASSWORD}'")
        await primary.call("createdb", "--owner", "soundbox", "--encoding", "UTF8", "--template", "template0", "soundbox")
        await primary.call(
            "pg_basebackup", "--pgdata", f"{standby.folder}/data", "--write-recovery-conf", "--checkpoint", "fast")
        await standby.start()
        # After the copy: the standby has nobody to wait for when it takes over.
        await primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        await primary.run("SELECT pg_reload_conf()")

    async def take_over(self) -> None:
        """The standby becomes the one that writes."""
        await self.standby.run("SELECT pg_promote()")

    def programs(self) -> list[Program]:
        return [self.primary.program, self.standby.program]

    @property
    def url(self) -> str:
        """What a gateway has as `database`; the password is not in it."""
        hosts = ",".join(f"{server.address}:{server.port}" for server in (self.primary, self.standby))
        return f"postgresql://soundbox@{hosts}/soundbox?sslmode=disable"
