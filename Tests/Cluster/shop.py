"""A provider of payments that keeps to the contract: it publishes again what was not acknowledged, and counts receipts."""
import asyncio
import dataclasses
import json
import time

from mqtt import Client, Login, Lost, Refused

PATIENCE = 3.0
BROKEN = (OSError, TimeoutError, Lost, Refused)


@dataclasses.dataclass(frozen=True)
class Address:
    host: str
    port: int


class Shop:
    """Publishes payments at a steady rate to whichever of the addresses takes them."""

    def __init__(self, addresses: list[Address], topics: str, name: str, login: Login | None = None) -> None:
        self._addresses, self._topics, self._name = addresses, topics, name
        self._login = login or Login(f"shop-{name}")
        self._unacknowledged: asyncio.Queue[str] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self.published: list[str] = []
        # By payment: when the broker took it, by the wall clock.
        self.acknowledged: dict[str, float] = {}
        # By state: the payments that there were receipts of.
        self.receipts: dict[str, set[str]] = {}
        self.receipt_count = 0

    async def open(self) -> None:
        """Returns when it may publish, and gets the receipts."""
        subscribed = asyncio.Event()
        self._tasks.append(asyncio.create_task(self._take_receipts(subscribed)))
        async with asyncio.timeout(30):
            await subscribed.wait()
        self._tasks += [asyncio.create_task(self._deliver()) for _ in range(4)]

    async def publish(self, rate: float, seconds: float) -> None:
        """Payments at this rate, whether the broker takes them or not: those that it does not take come later."""
        begun = time.monotonic()
        first = len(self.published)
        for number in range(round(rate * seconds)):
            payment = f"{self._name}-{first + number:06}"
            self.published.append(payment)
            self._unacknowledged.put_nowait(payment)
            await asyncio.sleep(max(0, begun + (number + 1) / rate - time.monotonic()))

    async def settle(self, limit: float) -> None:
        """Returns when the broker has taken everything, or the time is up."""
        deadline = time.monotonic() + limit
        while len(self.acknowledged) < len(self.published) and time.monotonic() < deadline:
            await asyncio.sleep(0.1)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    @property
    def longest_refusal(self) -> float:
        return longest_gap(list(self.acknowledged.values()))

    async def _connections(self, login: Login) -> "Client":
        """The next connection that comes about."""
        while True:
            for place, address in enumerate(list(self._addresses)):
                try:
                    client = await Client.connect(address.host, address.port, login, PATIENCE)
                except BROKEN:
                    continue
                # What was good is tried first the next time.
                self._addresses = self._addresses[place:] + self._addresses[:place]
                return client
            await asyncio.sleep(0.2)

    async def _deliver(self) -> None:
        """One connection, one payment at a time; four of these run beside each other."""
        login = dataclasses.replace(self._login, client_id=f"{self._login.client_id}-{id(asyncio.current_task())}")
        client: Client | None = None
        try:
            while True:
                payment = await self._unacknowledged.get()
                while payment not in self.acknowledged:
                    try:
                        client = client or await self._connections(login)
                        notice = json.dumps({"id": payment, "amount": "1.45", "channel": "alipay"}).encode()
                        await client.publish(f"{self._topics}/payments", notice, limit=PATIENCE)
                        self.acknowledged[payment] = time.time()
                    except BROKEN:
                        if client:
                            client.drop()
                        client = None
                        self._turn()
        finally:
            if client:
                client.drop()

    def _turn(self) -> None:
        """Another address is next."""
        self._addresses = self._addresses[1:] + self._addresses[:1]

    async def _take_receipts(self, subscribed: asyncio.Event) -> None:
        login = dataclasses.replace(self._login, client_id=f"{self._login.client_id}-receipts", clean=False, keep_alive=5)
        while True:
            client = await self._connections(login)
            try:
                if await client.subscribe(f"{self._topics}/receipts") > 1:
                    raise Lost("no receipts for this user")
                subscribed.set()
                # A node that hangs says nothing: where no receipt comes, somebody else is asked.
                while not client.closed.is_set():
                    async with asyncio.timeout(10):
                        message = await client.messages.get()
                    if message.topic.endswith("/receipts"):
                        self._note(json.loads(message.payload))
            except BROKEN:
                self._turn()
            finally:
                client.drop()

    def _note(self, receipt: dict[str, str]) -> None:
        self.receipt_count += 1
        self.receipts.setdefault(receipt["state"], set()).add(receipt["id"])


def longest_gap(moments: list[float]) -> float:
    """Seconds between two neighbours that lie furthest apart."""
    ordered = sorted(moments)
    return max((later - earlier for earlier, later in zip(ordered, ordered[1:])), default=0)
