"""As much of MQTT 3.1.1 as providers and simulated boxes need: asyncio, QoS 1, every packet by hand."""
import asyncio
import dataclasses
import ssl
import struct

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, DISCONNECT = 0x10, 0x20, 0x30, 0x40, 0x82, 0x90, 0xC0, 0xE0
REFUSALS = {
    1: "protocol version", 2: "client id", 3: "unavailable", 4: "user name or password", 5: "not authorised"}


class Refused(Exception):
    """The broker has answered a connection with another code than 0."""


class Lost(Exception):
    """The connection has ended before what was waited for came."""


@dataclasses.dataclass(frozen=True)
class Message:
    topic: str
    payload: bytes
    qos: int
    retained: bool


@dataclasses.dataclass
class Login:
    """How a client signs in. The session is kept at the broker unless `clean`."""
    client_id: str
    clean: bool = True
    username: str | None = None
    password: str | None = None
    keep_alive: int = 30
    tls: ssl.SSLContext | None = None
    server_name: str | None = None
    # Topic and payload of the last will: retained, QoS 1.
    will: tuple[str, bytes] | None = None

    def packet(self) -> bytes:
        flags = 2 if self.clean else 0
        fields = [text(self.client_id)]
        if self.will:
            flags |= 0x2C
            topic, payload = self.will
            fields += [text(topic), struct.pack(">H", len(payload)) + payload]
        if self.username is not None:
            flags |= 0x80
            fields.append(text(self.username))
        if self.password is not None:
            flags |= 0x40
            fields.append(text(self.password))
        return packet(CONNECT, b"\0\4MQTT\4" + bytes([flags]) + struct.pack(">H", self.keep_alive) + b"".join(fields))


def text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">H", len(encoded)) + encoded


def packet(kind: int, body: bytes = b"") -> bytes:
    length, count = b"", len(body)
    while True:
        count, digit = count >> 7, count & 127
        length += bytes([digit | (128 if count else 0)])
        if not count:
            return bytes([kind]) + length + body


async def read_packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    kind = (await reader.readexactly(1))[0]
    length = shift = 0
    while True:
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 127) << shift
        shift += 7
        if digit < 128:
            return kind, await reader.readexactly(length)


class Client:
    """One connection. Messages are acknowledged as they come, and queued. Ends by itself when the network does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, login: Login) -> None:
        self._reader, self._writer, self._login = reader, writer, login
        self._answers: dict[int, asyncio.Future[bytes]] = {}
        self._number = 0
        self._tasks: list[asyncio.Task[None]] = []
        self.session_present = False
        self.messages: asyncio.Queue[Message] = asyncio.Queue()
        self.closed = asyncio.Event()

    @classmethod
    async def connect(cls, host: str, port: int, login: Login, limit: float = 5) -> "Client":
        """Raises `OSError`, `TimeoutError`, ``Lost`` or ``Refused``."""
        async with asyncio.timeout(limit):
            reader, writer = await asyncio.open_connection(
                host, port, ssl=login.tls, server_hostname=login.server_name if login.tls else None)
            client = cls(reader, writer, login)
            try:
                writer.write(login.packet())
                kind, body = await read_packet(reader)
                if kind != CONNACK or body[1]:
                    raise Refused(REFUSALS.get(body[1], f"code {body[1]}"))
            except asyncio.IncompleteReadError as error:
                writer.transport.abort()
                raise Lost("the broker hung up") from error
            except BaseException:
                writer.transport.abort()
                raise
        client.session_present = bool(body[0] & 1)
        client._tasks = [asyncio.create_task(client._read()), asyncio.create_task(client._ping())]
        return client

    async def publish(self, topic: str, payload: bytes, qos: int = 1, limit: float = 5) -> None:
        """Returns when the broker has acknowledged it."""
        if qos == 0:
            self._writer.write(packet(PUBLISH, text(topic) + payload))
            return
        number, answer = self._expect()
        self._writer.write(packet(PUBLISH | 2, text(topic) + struct.pack(">H", number) + payload))
        async with asyncio.timeout(limit):
            await answer

    async def subscribe(self, topic: str, limit: float = 5) -> int:
        """Returns what was granted: 0 to 2, or 128 for a refusal."""
        number, answer = self._expect()
        self._writer.write(packet(SUBSCRIBE, struct.pack(">H", number) + text(topic) + b"\1"))
        async with asyncio.timeout(limit):
            return (await answer)[0]

    def drop(self) -> None:
        """Ends the connection without a word."""
        for task in self._tasks:
            task.cancel()
        self._writer.transport.abort()
        self._end()

    async def disconnect(self) -> None:
        self._writer.write(packet(DISCONNECT))
        try:
            await self._writer.drain()
        except OSError:
            pass
        self.drop()

    def _expect(self) -> tuple[int, asyncio.Future[bytes]]:
        if self.closed.is_set():
            raise Lost("the connection has ended")
        self._number = self._number % 65535 + 1
        answer = asyncio.get_running_loop().create_future()
        self._answers[self._number] = answer
        return self._number, answer

    def _end(self) -> None:
        self.closed.set()
        self._writer.transport.abort()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(Lost("the connection has ended"))
                # Nobody may wait any more.
                answer.exception()
        self._answers.clear()

    async def _read(self) -> None:
        try:
            while True:
                kind, body = await read_packet(self._reader)
                if kind & 0xF0 == PUBLISH:
                    self._take(kind, body)
                elif kind in (PUBACK, SUBACK):
                    answer = self._answers.pop(struct.unpack(">H", body[:2])[0], None)
                    if answer and not answer.done():
                        answer.set_result(body[2:])
        except (OSError, asyncio.IncompleteReadError):
            pass
        self._end()

    def _take(self, kind: int, body: bytes) -> None:
        end = 2 + struct.unpack(">H", body[:2])[0]
        rest, qos = body[end:], kind >> 1 & 3
        if qos:
            self._writer.write(packet(PUBACK, rest[:2]))
            rest = rest[2:]
        self.messages.put_nowait(Message(body[2:end].decode(), rest, qos, bool(kind & 1)))

    async def _ping(self) -> None:
        while not self.closed.is_set():
            await asyncio.sleep(self._login.keep_alive / 2)
            self._writer.write(packet(PINGREQ))
