"""Debian's RabbitMQ as nodes started by hand, each in a folder of its own, without a service."""
import asyncio
import os
import signal
import time

from mqtt import Client, Login, Lost, Refused
from stage import Failure, Program, Stage

HOME = "/usr/lib/rabbitmq/lib"
MQTT = 1883


def home() -> str:
    """The folder of the version that Debian has."""
    versions = sorted(name for name in os.listdir(HOME) if name.startswith("rabbitmq_server-")) if os.path.isdir(HOME) else []
    if not versions:
        raise Failure("RabbitMQ is missing: provisioning/install-dependencies.sh brokers")
    return f"{HOME}/{versions[-1]}"


def version() -> str:
    return home().rpartition("-")[2]


class Node:
    """One broker. On a machine of its own where `machine` is given, which its name then is, too."""

    def __init__(
        self, stage: Stage, name: str, settings: list[str], machine: str | None = None, arguments: str = ""
    ) -> None:
        """`arguments`: further ones of Erlang's runtime."""
        self.stage, self.name, self.machine = stage, name, machine
        self.program: Program | None = None
        folder = stage.path(f"rabbitmq/{name}")
        stage.write(f"rabbitmq/{name}/rabbitmq.conf", "\n".join(settings) + "\n")
        stage.write(f"rabbitmq/{name}/advanced.config", "[].\n")
        stage.write(f"rabbitmq/{name}/plugins", "[rabbitmq_mqtt].\n")
        cookie = stage.path(".erlang.cookie")
        if not os.path.exists(cookie):
            stage.write(".erlang.cookie", "soundboxtest", 0o400)
        self._environment = {
            "RABBITMQ_HOME": home(), "RABBITMQ_NODENAME": f"rabbit@{machine or 'localhost'}",
            "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia", "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq", "RABBITMQ_ADVANCED_CONFIG_FILE": f"{folder}/advanced.config",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins", "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_SCHEMA_DIR": f"{folder}/schema", "RABBITMQ_GENERATED_CONFIG_DIR": f"{folder}/config",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
            # Three nodes share the processors, and wait for work without turning.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"+S 2:2 +sbwt none {arguments}",
        }

    def start(self) -> None:
        self.program = self.stage.start(
            [f"{home()}/sbin/rabbitmq-server"], f"{self.name}.log", self.machine, self._environment)

    async def await_ready(self, host: str, login: Login | None = None, limit: float = 90) -> None:
        """Returns when it takes MQTT clients."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if self.program and self.program.has_ended:
                raise Failure(f"{self.name} has ended: {self.program.text()[-800:]}")
            try:
                client = await Client.connect(host, MQTT, login or Login("ready"), 2)
                await client.disconnect()
                return
            except (OSError, TimeoutError, Lost, Refused):
                await asyncio.sleep(0.3)
        raise Failure(f"{self.name} takes no clients within {limit:.0f} s")

    async def control(self, *arguments: str, limit: float = 60) -> str:
        """rabbitmqctl(8)."""
        return await self.stage.run(
            [f"{home()}/sbin/rabbitmqctl", *arguments], self.machine, self._environment, limit)

    async def kill(self) -> None:
        assert self.program
        await self.program.end(signal.SIGKILL)

    async def shut_down(self) -> None:
        """As a service manager does it."""
        assert self.program
        await self.control("stop", limit=90)
        await self.program.end()

    def freeze(self) -> None:
        assert self.program
        self.program.send(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.program
        self.program.send(signal.SIGCONT)
