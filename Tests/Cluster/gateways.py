"""Gateways that share a database, each on a machine of its own, and the nginx in front of them."""
import asyncio
import json
import os
import re
import signal

import isolation
from postgresql import PASSWORD, UNPRIVILEGED, Database
from shop import Address
from simulated import TOKEN, request
from stage import ROOT, Failure, Program, Stage, wait_for

PROGRAM = os.environ.get("SOUNDBOX_GATEWAY", f"{ROOT}/.build/release/soundbox-gateway")
NAMES = ["g1", "g2", "g3"]
NGINX = Address("127.0.0.1", 8080)


class Gateway:
    """One gateway, configured as gateway.md says for several."""

    def __init__(
        self, stage: Stage, name: str, number: int, outer: isolation.Network, data: isolation.Network, database: Database,
        brokers: list[str]
    ) -> None:
        """`outer`: the network of nginx and the brokers. `data`: the database's. `brokers`: their URLs."""
        self._stage, self.name, self._data = stage, name, data
        isolation.add_machine(name)
        # Behind the numbers of a cluster's nodes.
        address = outer.attach(name, 10 + number)
        data.attach(name, number)
        self.http, self.metrics = Address(address, 8090), Address(address, 8091)
        secrets = [
            stage.write("gateway.tokens", f"load {TOKEN}\n", 0o600),
            stage.write("gateway.password", f"{PASSWORD}\n", 0o600)]
        self.configuration = stage.write(
            f"{name}.yaml",
            f'client_id: gateway-{number}\nbroker: {{url: {json.dumps(brokers)}}}\nlisten: "{address}:8090"\n'
            f'metrics: "{address}:8091"\ntokens_file: {secrets[0]}\ndatabase: "{database.url}"\n'
            f"database_password_file: {secrets[1]}\nreconciles: true\n")
        self.program: Program

    async def start(self) -> None:
        """Returns when it takes requests."""
        before = self.log().count(" listening ")
        self.program = self._stage.start([PROGRAM, "run", "--config", self.configuration], f"{self.name}.log", self.name)
        await wait_for(
            lambda: self.program.has_ended or self.log().count(" listening ") > before, f"{self.name} listens", 60)
        if self.program.has_ended:
            raise Failure(f"{self.name} has ended: {self.log()[-800:]}")

    async def kill(self) -> None:
        await self.program.end(signal.SIGKILL)

    def freeze(self) -> None:
        self.program.send(signal.SIGSTOP)

    def thaw(self) -> None:
        self.program.send(signal.SIGCONT)

    def cut_database(self) -> None:
        self._data.cut(self.name)

    def mend_database(self) -> None:
        self._data.mend(self.name)

    async def states(self) -> dict[str, str]:
        """What it says of every payment, page by page."""
        states: dict[str, str] = {}
        after: str | None = ""
        while after is not None:
            reader, writer = await asyncio.open_connection(self.http.host, self.http.port, limit=1 << 22)
            status, body = await request(
                reader, writer, "GET", "/payments?limit=1000" + (f"&after={after}" if after else ""))
            writer.close()
            if status != 200:
                raise Failure(f"{self.name} answers {status} when it is asked for payments")
            page = json.loads(body)
            states |= {payment["id"]: payment["state"] for payment in page["payments"]}
            after = page["next"]
        return states

    def log(self) -> str:
        path = self._stage.path(f"{self.name}.log")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()


async def start_nginx(stage: Stage, gateways: list[Gateway]) -> Program:
    """With the configuration of gateway.md, and these gateways' addresses in it."""
    with open(f"{ROOT}/docs/gateway.md", encoding="utf-8") as file:
        blocks = re.findall(r"^```\n(.*?)^```$", file.read(), re.M | re.S)
    text = next(block for block in blocks if "upstream gateways" in block)
    servers = re.findall(r"^ +server \S+:8090 (.*)\n", text, re.M)
    text = re.sub(r"^ +server \S+:8090 .*\n", "", text, flags=re.M)
    text = text.replace(
        "upstream gateways {\n",
        "upstream gateways {\n" + "".join(
            f"    server {gateway.http.host}:{gateway.http.port} {servers[0]}\n" for gateway in gateways))
    text = text.replace("…", f"listen {NGINX.host}:{NGINX.port};")
    folder = stage.path("nginx")
    os.makedirs(folder)
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration = stage.write(
        "nginx/nginx.conf",
        f"daemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log {folder}/error.log warn;\n"
        f"events {{ worker_connections 4096; }}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n")
    # As root it would change to another user, which these namespaces do not have.
    program = stage.start([*UNPRIVILEGED, "/usr/sbin/nginx", "-c", configuration], "nginx.log")
    await wait_for(lambda: program.has_ended or os.path.exists(f"{folder}/pid"), "nginx is there", 10)
    if program.has_ended:
        raise Failure(f"nginx has ended: {program.text()[-500:]}")
    return program
