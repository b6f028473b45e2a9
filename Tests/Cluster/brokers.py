"""The brokers that the box is tried on, each as the examples of provisioning/broker have it."""
import os
import re
import signal
import ssl

import rabbitmq
from mqtt import Login
from rabbitmq import Node
from stage import ROOT, Failure, Program, Stage, wait_for

EXAMPLES = f"{ROOT}/provisioning/broker"
BOXES = ["box-01", "box-02"]
PROVIDER = "provider"


class Skipped(Exception):
    """A broker that this machine cannot have. Says why."""


class Broker:
    """One broker with nothing but its defaults and a store: nobody signs in, everybody may do everything."""

    name = "mosquitto"
    version = ""
    port = 1883
    scheme = "mqtt"
    # Whether it knows its clients, so that there is somebody to refuse.
    knows_users = False
    # Whether a subscription without a right to it is refused, rather than never served.
    refuses_subscriptions = False
    binds_client_ids = False
    keeps_over_restart = True

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.program: Program

    async def prepare(self) -> None:
        self.version = (await self.stage.run(["sh", "-c", "/usr/sbin/mosquitto -h | head -1"])).split()[-1]
        self.write(["allow_anonymous true", "persistence true", f"persistence_location {self.stage.folder}/"])

    async def start(self) -> None:
        configuration = self.stage.path("mosquitto.conf")
        self.program = self.stage.start(["/usr/sbin/mosquitto", "-c", configuration], "broker.log")
        await self.listens()

    async def stop(self) -> None:
        await self.program.end(signal.SIGTERM)

    def settings(self, box: str) -> str:
        """What a box has in `broker:` besides the URL."""
        return ""

    def login(self, client_id: str, user: str = PROVIDER) -> Login:
        return Login(client_id)

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}"

    def write(self, lines: list[str]) -> None:
        """mosquitto's configuration. What it may read and write is the test's."""
        self.stage.write("mosquitto.conf", "\n".join(
            [f"listener {self.port}", "user root", *(line for line in lines if not line.startswith("listener "))]) + "\n")

    async def listens(self, limit: float = 60) -> None:
        def is_there() -> bool:
            if self.program.has_ended:
                raise Failure(f"{self.name} has ended: {self.program.text()[-600:]}")
            text = "".join(open(f"/proc/net/{family}", encoding="ascii").read() for family in ("tcp", "tcp6"))
            return re.search(rf":{self.port:04X} 0+:0000 0A", text) is not None

        await wait_for(is_there, f"{self.name} listens", limit)


class HardenedMosquitto(Broker):
    """TLS, certificates, access list."""

    name = "mosquitto, certificates"
    port, scheme, knows_users = 8883, "mqtts", True

    async def prepare(self) -> None:
        await super().prepare()
        await make_certificates(self.stage)
        listed = "".join(f"M1001 {box}\n" for box in BOXES)
        await self.stage.run(
            ["bash", "-c", f'printf %s "$1" | {EXAMPLES}/make-acl.sh {PROVIDER} >soundbox.acl', "-", listed])
        self.write(placed(self.stage, f"{EXAMPLES}/mosquitto.conf"))

    def settings(self, box: str) -> str:
        folder = self.stage.path("boxes-ca")
        return f"ca_file: {folder}/boxes-ca.pem\ncert_file: {folder}/M1001.{box}.pem\nkey_file: {folder}/M1001.{box}.key"

    def login(self, client_id: str, user: str = PROVIDER) -> Login:
        folder = self.stage.path("boxes-ca")
        context = ssl.create_default_context(cafile=f"{folder}/boxes-ca.pem")
        context.load_cert_chain(f"{folder}/{user}.pem", f"{folder}/{user}.key")
        return Login(client_id, tls=context, server_name="localhost")


class BoundMosquitto(Broker):
    """TLS, passwords, client ids bound to users by the dynamic-security plugin."""

    name = "mosquitto, bound ids"
    port, scheme, knows_users, refuses_subscriptions, binds_client_ids = 8883, "mqtts", True, True, True

    async def prepare(self) -> None:
        await super().prepare()
        await make_certificates(self.stage)
        listed = "".join(f"M1001 {box}\n" for box in BOXES)
        await self.stage.run([
            "bash", "-c",
            f'printf %s "$1" | {EXAMPLES}/dynamic-security/make-dynamic-security.py {PROVIDER} passwords '
            ">dynamic-security.json", "-", listed])
        self.write(placed(self.stage, f"{EXAMPLES}/dynamic-security/mosquitto.conf"))

    def settings(self, box: str) -> str:
        return (
            f"ca_file: {self.stage.path('boxes-ca/boxes-ca.pem')}\nusername: M1001.{box}\n"
            f"password_file: {self.stage.path(f'passwords/M1001.{box}')}")

    def login(self, client_id: str, user: str = PROVIDER) -> Login:
        context = ssl.create_default_context(cafile=self.stage.path("boxes-ca/boxes-ca.pem"))
        return Login(client_id, username=user, password=password(self.stage, user), tls=context, server_name="localhost")


class RabbitMQ(Broker):
    """A single node with the example's definitions and passwords; without TLS."""

    name, queues = "RabbitMQ, quorum", "quorum"
    knows_users, refuses_subscriptions, binds_client_ids = True, True, True

    async def prepare(self) -> None:
        self.version = rabbitmq.version()
        listed = "".join(f"M1001 {box}\n" for box in BOXES)
        await self.stage.run([
            "bash", "-c",
            f'printf %s "$1" | {EXAMPLES}/rabbitmq/make-definitions.py {PROVIDER} passwords >definitions.json', "-", listed])
        with open(f"{EXAMPLES}/rabbitmq/rabbitmq.conf", encoding="utf-8") as file:
            kept = [line for line in file.read().splitlines() if re.match(r"mqtt\.(?!listeners|allow|ssl)", line)]
        if self.queues == "classic":
            kept = [line for line in kept if not line.startswith("mqtt.durable_queue_type")]
        self.node = Node(self.stage, "rabbit", [
            *kept, "listeners.tcp.default = 127.0.0.1:5672", f"mqtt.listeners.tcp.default = {self.port}",
            "mqtt.allow_anonymous = false", "log.console = false",
            f"load_definitions = {self.stage.path('definitions.json')}"])

    async def start(self) -> None:
        self.node.start()
        await self.node.await_ready("localhost", self.login(f"{PROVIDER}-ready"))

    async def stop(self) -> None:
        await self.node.shut_down()

    def settings(self, box: str) -> str:
        return f"username: M1001.{box}\npassword_file: {self.stage.path(f'passwords/M1001.{box}')}"

    def login(self, client_id: str, user: str = PROVIDER) -> Login:
        return Login(client_id, username=user, password=password(self.stage, user))


class ClassicRabbitMQ(RabbitMQ):
    name, queues = "RabbitMQ, classic", "classic"


class AMQTT(Broker):
    """The broker in Python, which keeps everything in memory."""

    name, keeps_over_restart = "amqtt", False
    _environment = f"{ROOT}/.build/amqtt"

    async def prepare(self) -> None:
        if not os.path.exists(f"{self._environment}/bin/amqtt"):
            raise Skipped("not installed: python3 -m venv .build/amqtt && .build/amqtt/bin/pip install amqtt==0.11.3")
        listing = await self.stage.run([f"{self._environment}/bin/pip", "list", "--disable-pip-version-check"])
        found = re.search(r"^amqtt\s+(\S+)", listing, re.M)
        self.version = found[1] if found else "?"
        self.stage.write(
            "amqtt.yaml",
            f"listeners:\n  default:\n    type: tcp\n    bind: 127.0.0.1:{self.port}\n"
            "plugins:\n  amqtt.plugins.authentication.AnonymousAuthPlugin:\n    allow_anonymous: true\n")

    async def start(self) -> None:
        self.program = self.stage.start(
            [f"{self._environment}/bin/amqtt", "-c", self.stage.path("amqtt.yaml")], "broker.log")
        await self.listens()


def placed(stage: Stage, example: str) -> list[str]:
    """An example's lines, with the files where the test has them."""
    with open(example, encoding="utf-8") as file:
        text = file.read()
    places = {
        "/etc/mosquitto/certs/": stage.path("boxes-ca/"), "/etc/mosquitto/soundbox.acl": stage.path("soundbox.acl"),
        "/var/lib/mosquitto/": f"{stage.folder}/"}
    for place, own in places.items():
        text = text.replace(place, own)
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    # Many more open files than a test may have.
    return [line for line in lines if line and not line.startswith("max_connections")]


def password(stage: Stage, user: str) -> str:
    with open(stage.path(f"passwords/{user}"), encoding="utf-8") as file:
        return file.read().strip()


async def make_certificates(stage: Stage) -> None:
    """By the commands of the README, as they stand there."""
    with open(f"{EXAMPLES}/README.md", encoding="utf-8") as file:
        blocks = re.findall(r"^```\n(.*?)^```$", file.read(), re.M | re.S)
    commands = "".join(block for block in blocks if "openssl" in block and "-revoke" not in block)
    commands = commands.replace("mq.example.com", "localhost").replace(
        "for who in M1001.box-01", "for who in " + " ".join(f"M1001.{box}" for box in BOXES))
    await stage.run(["bash", "-eu", "-c", commands])


ALL: dict[str, type[Broker]] = {
    "mosquitto": Broker, "mosquitto-certificates": HardenedMosquitto, "mosquitto-bound": BoundMosquitto,
    "rabbitmq-quorum": RabbitMQ, "rabbitmq-classic": ClassicRabbitMQ, "amqtt": AMQTT}
ABSENT = ["VerneMQ", "EMQX", "NanoMQ", "HiveMQ"]
