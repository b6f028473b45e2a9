"""Three RabbitMQ nodes on machines of their own, and the ways in which a box gets to them."""
import asyncio
import contextlib
import json
import os
import re
import time

import isolation
from box import Box
from mqtt import Login
from rabbitmq import MQTT, Node
from shop import Address
from stage import ROOT, Failure, Program, Stage, wait_for

NAMES = ["c1", "c2", "c3"]
HAPROXY = 1884


class Cluster:
    """The nodes talk to each other on one network and to their clients on another, so that either can be cut."""

    def __init__(self, stage: Stage, queues: str) -> None:
        self._stage = stage
        self._inner, self.outer = isolation.Network("inner", "10.77.1"), isolation.Network("outer", "10.77.2")
        inner, self.addresses = {}, []
        for number, name in enumerate(NAMES, 1):
            isolation.add_machine(name)
            inner[name] = [self._inner.attach(name, number)]
            self.addresses.append(self.outer.attach(name, number))
        isolation.resolve(inner | {"cluster.test": self.addresses}, stage.folder)
        with open(f"{ROOT}/provisioning/broker/rabbitmq/rabbitmq.conf", encoding="utf-8") as file:
            example = file.read()
        settings = [
            # Without TLS and with everybody: what is tested is the cluster.
            *(line for line in example.splitlines() if re.match(r"(mqtt\.(?!listeners|allow|ssl)|cluster_partition)", line)),
            "listeners.tcp.default = 127.0.0.1:5672", "mqtt.listeners.tcp.default = 1883", "mqtt.allow_anonymous = true",
            "loopback_users = none", "log.console = false",
            "cluster_formation.peer_discovery_backend = classic_config",
            *(f"cluster_formation.classic_config.nodes.{number} = rabbit@{name}" for number, name in enumerate(NAMES, 1)),
        ]
        if queues == "classic":
            settings = [line for line in settings if not line.startswith("mqtt.durable_queue_type")]
        with open(f"{ROOT}/provisioning/broker/rabbitmq/rabbitmq-env.conf", encoding="utf-8") as file:
            arguments = re.findall(r'^SERVER_ADDITIONAL_ERL_ARGS="(.*)"$', file.read(), re.M)
        self.nodes = {name: Node(stage, name, settings, name, " ".join(arguments)) for name in NAMES}
        self._front: Program | None = None

    async def start(self) -> None:
        """One node after the other: MQTT of RabbitMQ 3.10 may wait for ever for another that begins with it."""
        for node, address in zip(self.nodes.values(), self.addresses):
            node.start()
            await node.await_ready(address)
        await self.recover()

    async def recover(self, suspect: str = NAMES[0]) -> bool:
        """Returns when all nodes take clients and know each other, and whether that took a restart of the suspect by
        hand.

        A node that stood still for longer than `net_ticktime` was given up by the others and does not notice it: it does
        not pause, and they do not take it back. One that has paused may wait for ever when it begins again."""
        other = self.nodes[next(name for name in NAMES if name != suspect)]
        with contextlib.suppress(Failure):
            for node, address in zip(self.nodes.values(), self.addresses):
                await node.await_ready(address)
            if await self._is_whole(other):
                return False
        await self.nodes[suspect].kill()
        self.nodes[suspect].start()
        await self.nodes[suspect].await_ready(self.addresses[NAMES.index(suspect)])
        if not await self._is_whole(other):
            raise Failure(f"the cluster does not recover, as {other.name} sees it")
        return True

    @staticmethod
    async def _is_whole(node: Node) -> bool:
        """Whether all nodes run, and none reports a partition: it asks them all. Patient with a busy machine."""
        deadline = time.monotonic() + 60
        while True:
            status = json.loads(await node.control("cluster_status", "--formatter", "json", limit=180))
            if len(status["running_nodes"]) == len(NAMES) and not any(status["partitions"].values()):
                return True
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(1)

    async def start_haproxy(self) -> None:
        """The example, with this cluster's addresses."""
        with open(f"{ROOT}/provisioning/broker/haproxy.cfg", encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"bind :8883", f"bind 127.0.0.1:{HAPROXY}", text)
        text = re.sub(r"^\s*(user|group|log|option tcplog|maxconn)\b.*\n", "", text, flags=re.M)
        # Without TLS the same question is asked in MQTT: a sign-in, and what it is answered.
        question = Login("").packet().hex()
        text = text.replace(
            "option ssl-hello-chk",
            f"option tcp-check\n    tcp-check send-binary {question}\n    tcp-check expect binary 2002")
        text = re.sub(r"stats socket \S+", f"stats socket {self._stage.path('haproxy.sock')}", text)
        for name, address in zip(NAMES, self.addresses):
            text = re.sub(rf"server {name} \S+", f"server {name} {address}:{MQTT}", text)
        self._front = self._stage.start(
            ["/usr/sbin/haproxy", "-db", "-f", self._stage.write("haproxy.cfg", text)], "haproxy.log")
        front = self._front
        await wait_for(
            lambda: front.has_ended or os.path.exists(self._stage.path("haproxy.sock")), "haproxy's socket is there", 10)
        if front.has_ended:
            raise Failure(f"haproxy has ended: {front.text()[-500:]}")

    def urls(self, front: str) -> list[str]:
        """What a box has in `broker.url`."""
        match front:
            case "list": return [f"mqtt://{address}:{MQTT}" for address in self.addresses]
            case "name": return [f"mqtt://cluster.test:{MQTT}"]
            case "haproxy": return [f"mqtt://127.0.0.1:{HAPROXY}"]
            case _: raise Failure(f"\"{front}\" is no front: list, name or haproxy")

    def providers(self, front: str) -> list[Address]:
        if front == "haproxy":
            return [Address("127.0.0.1", HAPROXY)]
        return [Address(address, MQTT) for address in self.addresses]

    async def node_of(self, box: Box) -> str:
        """The node that a box is connected to."""
        own, peer = await box.peer()
        address = peer.rpartition(":")[0]
        if address in self.addresses:
            return NAMES[self.addresses.index(address)]
        sessions = await self._ask_haproxy("show sess")
        found = re.search(rf"src={re.escape(own)} .*?\bsrv=(\S+)", sessions)
        if not found:
            raise Failure(f"where {box.device} is connected cannot be seen: {own} {peer} {sessions[:500]}")
        return found[1]

    def cut(self, name: str, clients: bool) -> None:
        """Parts a node from the others, and from clients as well where they are meant."""
        self._inner.cut(name)
        if clients:
            self.outer.cut(name)

    def mend(self, name: str) -> None:
        self._inner.mend(name)
        self.outer.mend(name)

    async def _ask_haproxy(self, question: str) -> str:
        reader, writer = await asyncio.open_unix_connection(self._stage.path("haproxy.sock"))
        writer.write(f"{question}\n".encode())
        answer = await reader.read()
        writer.close()
        return answer.decode()
