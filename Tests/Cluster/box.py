"""A real box: `soundbox run`, and what its log says of each payment."""
import asyncio
import collections
import dataclasses
import datetime
import json
import os
import re
import signal

from stage import PROGRAM, ROOT, Program, Stage, wait_for

LINE = re.compile(r"^(\S+) info (stored|announced)\b.*? id=(\S+)", re.M)


@dataclasses.dataclass
class Account:
    """What became of the payments, by the box's log."""
    stored: dict[str, float]
    announced: collections.Counter[str]

    @property
    def spoken_twice(self) -> list[str]:
        return [payment for payment, count in self.announced.items() if count > 1]


class Box:
    """A box on a device without sound, which takes what is mixed at once. It says nothing but payments."""

    def __init__(self, stage: Stage, device: str, broker: list[str], merchant: str = "M1001", settings: str = "") -> None:
        """`broker`: its URLs. `settings`: further lines of `broker:` in the configuration, each `key: value`."""
        self.stage, self.device = stage, device
        self.topics = f"soundbox/v1/{merchant}/{device}"
        self.client_id = f"soundbox-{merchant}-{device}"
        self.control = stage.path(f"{device}.sock")
        further = "".join(f"  {line}\n" for line in settings.splitlines())
        self.configuration = stage.write(
            f"{device}.yaml",
            f"merchant_id: {merchant}\ndevice_id: {device}\nbroker:\n  url: {json.dumps(broker)}\n{further}"
            f"audio: {{device: fast}}\nvoice: {{directory: {ROOT}/sounds, locale: zh-CN}}\n"
            f"board_directory: {ROOT}/board\nstate_directory: {stage.path(device)}\ncontrol_socket: {self.control}\n"
            "announce: {expire_after: 7d, prompts: {ready: false, network: false}}\n")
        os.makedirs(stage.path(device), exist_ok=True)
        self.program: Program

    async def start(self, waits: bool = True) -> None:
        """Returns when it is online."""
        before = self.log().count(" info online") if os.path.exists(self.stage.path(f"{self.device}.log")) else 0
        self.program = self.stage.start([PROGRAM, "run", "--config", self.configuration], f"{self.device}.log")
        if waits:
            await wait_for(lambda: self.log().count(" info online") > before, f"{self.device} is online", 60)

    async def stop(self, sign: signal.Signals = signal.SIGTERM) -> None:
        await self.program.end(sign)

    def log(self) -> str:
        with open(self.stage.path(f"{self.device}.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def account(self) -> Account:
        account = Account({}, collections.Counter())
        for moment, what, payment in LINE.findall(self.log()):
            if what == "stored":
                account.stored.setdefault(payment, datetime.datetime.fromisoformat(moment).timestamp())
            else:
                account.announced[payment] += 1
        return account

    async def status(self) -> dict[str, object]:
        reader, writer = await asyncio.open_unix_connection(self.control)
        writer.write(b"GET /status HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return json.loads(answer.partition(b"\r\n\r\n")[2])

    async def peer(self) -> tuple[str, str]:
        """Its own end of the connection to the broker and the other one, as address:port."""
        sockets = await self.stage.run(["ss", "-Htnp", "state", "established"])
        found = re.search(rf"^\s*\d+\s+\d+\s+(\S+)\s+(\S+)\s.*\bpid={self.program.pid},", sockets, re.M)
        return (found[1], found[2]) if found else ("", "")
