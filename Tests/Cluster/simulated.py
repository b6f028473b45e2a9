"""Thousands of boxes in one process, and who posts payments for them to gateways."""
import asyncio
import collections
import contextlib
import datetime
import json
import random
import secrets
import struct
import time
from decimal import Decimal

from mqtt import CONNACK, PUBACK, PUBLISH, SUBSCRIBE, Login, packet, read_packet, text
from shop import Address

TOKEN = "0123456789abcdef0123456789abcdef"
KEEP_ALIVE, STATUS, AWAY = 60, 60, 20


class Ledger:
    """What was posted, and what the simulated boxes made of it."""

    def __init__(self) -> None:
        # By payment. Each has an amount that no other has.
        self.posted: dict[str, float] = {}
        self.amounts: dict[str, str] = {}
        self.boxes: dict[str, str] = {}
        self.announced: dict[str, float] = {}
        # Moments in which a payment came to a box again.
        self.copies: list[float] = []
        # Payments that came with another amount, or to another box.
        self.wrong: list[str] = []
        self.delays: list[float] = []
        self.online = 0

    def is_right(self, payment: str, box: str, amount: str) -> bool:
        """Whether it was posted for this box, with this amount: 1.10 may come as 1.1."""
        return payment in self.amounts and self.boxes[payment] == box and Decimal(self.amounts[payment]) == Decimal(amount)


class SimulatedBox:
    """Keeps a session at a broker, answers each payment with `stored` and `announced`, and tells its status each minute."""

    def __init__(self, ledger: Ledger, number: int, brokers: list[Address]) -> None:
        self.ledger = ledger
        self.name = f"fleet/{number:05}"
        self._prefix = f"soundbox/v1/{self.name}"
        self._brokers, self._turn = brokers, number
        self._login = Login(
            f"soundbox-fleet-{number:05}", clean=False, keep_alive=KEEP_ALIVE,
            will=(f"{self._prefix}/status", b'{"state":"offline"}')).packet()
        self._writer: asyncio.StreamWriter | None = None
        self._began = self._away_until = 0.0
        self._mid = self._session_epoch = 0
        self._epoch, self._sequence = secrets.token_hex(8), 0
        self._known: set[str] = set()

    def leave(self, silently: bool) -> None:
        """Is away for a while."""
        if self._writer is None:
            return
        self._away_until = time.monotonic() + AWAY
        if silently:
            self._writer.transport.abort()
        else:
            self._publish("status", {"state": "offline"}, retained=True)
            self._writer.close()

    async def live(self) -> None:
        while True:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                broker = self._brokers[self._turn % len(self._brokers)]
                async with asyncio.timeout(10):
                    reader, self._writer = await asyncio.open_connection(broker.host, broker.port)
                try:
                    await self._serve(reader, self._writer)
                finally:
                    self._writer.transport.abort()
                    self._writer = None
            self._turn += 1
            await asyncio.sleep(max(self._away_until - time.monotonic(), random.uniform(0, 5)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(self._login)
        async with asyncio.timeout(30):
            kind, body = await read_packet(reader)
        if kind != CONNACK or body[1]:
            raise OSError("refused")
        if not body[0] & 1:
            self._session_epoch += 1
        filters = b"".join(text(f"{self._prefix}/{name}") + b"\1" for name in ("payments", "commands"))
        writer.write(packet(SUBSCRIBE, b"\0\1" + filters))
        self._tell()
        self._began = time.monotonic()
        self.ledger.online += 1
        beat = asyncio.create_task(self._beat())
        try:
            while True:
                # The broker answers each status within the minute.
                async with asyncio.timeout(KEEP_ALIVE * 1.5):
                    kind, body = await read_packet(reader)
                if kind & 0xF0 == PUBLISH:
                    self._take(body)
        finally:
            beat.cancel()
            self.ledger.online -= 1

    async def _beat(self) -> None:
        await asyncio.sleep(random.uniform(0, STATUS))
        while True:
            self._tell()
            await asyncio.sleep(STATUS)

    def _tell(self) -> None:
        self._publish("status", {
            "state": "online", "at": now(), "session": "resumed", "session_epoch": self._session_epoch,
            "session_since": "2026-11-20T01:00:00.000Z", "faults": []}, retained=True)

    def _take(self, body: bytes) -> None:
        end = 2 + struct.unpack(">H", body[:2])[0]
        rest = body[end:]
        if self._writer is None:
            return
        if body[2:end].endswith(b"/payments"):
            self._answer(json.loads(rest[2:]))
        # As the box: what has come is known before the broker may forget it.
        self._writer.write(packet(PUBACK, rest[:2]))

    def _answer(self, notice: dict[str, str]) -> None:
        ledger, payment = self.ledger, notice["id"]
        if payment in self._known:
            ledger.copies.append(time.monotonic())
            self._receipt(payment, "duplicate", was="announced", how="aloud", amount=notice["amount"], currency="CNY")
            return
        self._known.add(payment)
        if payment in ledger.announced or not ledger.is_right(payment, self.name, notice["amount"]):
            ledger.wrong.append(payment)
        posted = ledger.posted.get(payment, 0)
        ledger.announced[payment] = time.monotonic()
        if posted > self._began:
            ledger.delays.append(time.monotonic() - posted)
        self._receipt(payment, "stored")
        self._receipt(payment, "announced", how="aloud")

    def _receipt(self, payment: str, state: str, **further: str) -> None:
        self._sequence += 1
        self._publish("receipts", {
            "id": payment, "state": state, "at": now(), "sequence": self._sequence, "epoch": self._epoch} | further)

    def _publish(self, topic: str, content: dict[str, object], retained: bool = False) -> None:
        self._mid = self._mid % 65535 + 1
        assert self._writer
        self._writer.write(packet(
            PUBLISH | 2 | retained,
            text(f"{self._prefix}/{topic}") + struct.pack(">H", self._mid) + json.dumps(content).encode()))


class Sender:
    """Posts payments at an even rate, each to a box by chance. Opens a connection where none is free, up to a limit."""

    def __init__(
        self, ledger: Ledger, boxes: list[str], gateway: Address, connections: int, repeats: frozenset[int] = frozenset({429})
    ) -> None:
        """`boxes`: as `merchant/device`. `repeats`: the answers after which a payment is posted again: after a second,
        and after twice as long each time, up to 8 s."""
        self.ledger, self._boxes, self._gateway, self._repeats = ledger, boxes, gateway, repeats
        # Payments that were answered with 200, and when.
        self.accepted: dict[str, float] = {}
        # Until an answer that is not repeated.
        self.times: list[float] = []
        self.refused: collections.Counter[int] = collections.Counter()
        # What was answered when, but 200. 0: the connection has ended without an answer.
        self.others: list[tuple[float, int]] = []
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._room = asyncio.Semaphore(connections)

    async def run(self, rate: float, seconds: float, prefix: str) -> None:
        begun = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(int(rate * seconds)):
                await asyncio.sleep(max(0, begun + number / rate - time.monotonic()))
                group.create_task(self._deliver(f"{prefix}-20261127-{number:07}"))
        for _, writer in self._free:
            writer.close()
        self._free.clear()

    async def _deliver(self, payment: str) -> None:
        box, amount = random.choice(self._boxes), len(self.ledger.amounts) + 100
        self.ledger.amounts[payment], self.ledger.boxes[payment] = f"{amount // 100}.{amount % 100:02}", box
        async with self._room:
            self.ledger.posted[payment] = begun = time.monotonic()
            pause = 1.0
            while (status := await self._post(box, payment)) in self._repeats | {0}:
                self.others.append((time.monotonic(), status))
                await asyncio.sleep(pause * random.uniform(0.5, 1))
                pause = min(pause * 2, 8)
        self.times.append(time.monotonic() - begun)
        if status == 200:
            self.accepted[payment] = time.monotonic()
        else:
            self.others.append((time.monotonic(), status))
            self.refused[status] += 1

    async def _post(self, box: str, payment: str) -> int:
        """Returns the answer's status; 0 where there is none."""
        content = {"id": payment, "amount": self.ledger.amounts[payment], "channel": "alipay"}
        while True:
            is_new = not self._free
            try:
                reader, writer = self._free.pop() if self._free else await asyncio.open_connection(
                    self._gateway.host, self._gateway.port)
            except OSError:
                return 0
            try:
                status, _ = await request(reader, writer, "POST", f"/payments/{box}", json.dumps(content))
            except (OSError, asyncio.IncompleteReadError) as error:
                writer.transport.abort()
                if is_new or not isinstance(error, asyncio.IncompleteReadError) or error.partial:
                    return 0
                # One that was idle, and is closed by now.
                continue
            self._free.append((reader, writer))
            return status


async def request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, method: str, path: str, body: str = ""
) -> tuple[int, bytes]:
    """The status and the body of an answer. The connection stays."""
    writer.write(
        f"{method} {path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].split("\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(length)


async def metrics(gateway: Address) -> dict[str, float]:
    reader, writer = await asyncio.open_connection(gateway.host, gateway.port)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n")
    lines = (await reader.read()).decode().splitlines()
    writer.close()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line.startswith("soundbox_"))}


async def settle(gateway: Address, limit: float = 400) -> None:
    """Returns when nothing waits at the gateway any more, by its metrics, or the time is up."""
    deadline = time.monotonic() + limit
    while any(value for name, value in (await metrics(gateway)).items() if "_waiting{" in name) and time.monotonic() < deadline:
        await asyncio.sleep(1)


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    if not ordered:
        return "none"
    return " / ".join(f"{ordered[min(int(len(ordered) * part), len(ordered) - 1)] * 1000:.0f}" for part in (0.5, 0.99, 1)) + " ms"
