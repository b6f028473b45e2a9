"""What the measurements of the whole program share: a broker of their own, an MQTT client with nothing between the
clock and the socket, the figures of /proc, and how a row of samples is told of."""
import collections, math, os, re, shutil, signal, socket, struct, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Connection:
    """As much of MQTT 3.1.1 as a client with QoS 1 needs."""

    def __init__(self, port, name="publisher"):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number = 0
        self.bytes = bytearray()
        # Messages that came while something else was waited for: the moment of arrival, the topic, the payload.
        self.messages = collections.deque()
        self._send(0x10, b"\0\4MQTT\4\2\0\0" + struct.pack(">H", len(name)) + name.encode())
        self._await(0x20)

    def publish(self, topic, payload):
        """Returns, when the broker has acknowledged it, the moment right before it was given to the kernel."""
        self.number = self.number % 65535 + 1
        body = struct.pack(">H", len(topic)) + topic + struct.pack(">H", self.number) + payload
        sent = time.monotonic_ns()
        self._send(0x32, body)
        self._await(0x40)
        return sent

    def subscribe(self, topic):
        self._send(0x82, struct.pack(">HH", 1, len(topic)) + topic + b"\1")
        self._await(0x90)

    def receive(self, limit):
        """The next message, or None when there is none for `limit` seconds."""
        deadline = time.monotonic() + limit
        while not self.messages:
            if self._packet(deadline) is None:
                return None
        return self.messages.popleft()

    def _send(self, kind, body):
        length, count = b"", len(body)
        while True:
            count, digit = count >> 7, count & 127
            length += bytes([digit | (128 if count else 0)])
            if not count:
                break
        self.socket.sendall(bytes([kind]) + length + body)

    def _await(self, kind):
        deadline = time.monotonic() + 60
        while (found := self._packet(deadline)) != kind:
            if found is None:
                raise SystemExit("the broker does not answer")

    def _packet(self, deadline):
        """Takes one packet and returns its kind. Messages are acknowledged and kept."""
        while (packet := self._cut()) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                received = self.socket.recv(65536)
            except TimeoutError:
                return None
            finally:
                self.socket.settimeout(None)
            self.moment = time.monotonic_ns()
            if not received:
                raise SystemExit("the broker hung up")
            self.bytes += received
        kind, body = packet
        if kind & 0xF0 == 0x30:
            end = 2 + struct.unpack(">H", body[:2])[0]
            topic, payload = body[2:end], body[end:]
            if kind & 0x06:
                self._send(0x40, payload[:2])
                payload = payload[2:]
            self.messages.append((self.moment, topic, payload))
        return kind

    def _cut(self):
        """The first packet of the bytes that have come, if it is whole."""
        length = 0
        for place in range(1, min(5, len(self.bytes))):
            length |= (self.bytes[place] & 127) << 7 * (place - 1)
            if self.bytes[place] < 128:
                end = place + 1 + length
                if len(self.bytes) < end:
                    return None
                packet = self.bytes[0], bytes(self.bytes[place + 1:end])
                del self.bytes[:end]
                return packet
        return None


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def tree(pid):
    """The process and all that descend from it."""
    pids = [pid]
    for pid in pids:
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for task in tasks:
            pids += [int(child) for child in read(f"/proc/{pid}/task/{task}/children").split()]
    return pids


def usage(pid):
    """Milliseconds of processor and voluntary context switches so far; children that have ended count, too."""
    milliseconds, switches = 0.0, 0
    for pid in tree(pid):
        fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        if not fields:
            continue
        # Children that have ended are counted in ticks, which add up; the process itself to the nanosecond, by the
        # clock that clock_getcpuclockid(3) would name.
        milliseconds += (int(fields[13]) + int(fields[14])) * 1000 / os.sysconf("SC_CLK_TCK")
        try:
            milliseconds += time.clock_gettime((~pid << 3) | 2) * 1000
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            # It has ended meanwhile.
            continue
        for task in tasks:
            found = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", read(f"/proc/{pid}/task/{task}/status"), re.M)
            switches += int(found[1]) if found else 0
    return milliseconds, switches


def memory(pid, pattern):
    """Megabytes in the lines of smaps_rollup whose name fits, of the process and all that descend from it."""
    texts = [read(f"/proc/{pid}/smaps_rollup") for pid in tree(pid)]
    return sum(int(number) for text in texts for number in re.findall(rf"^{pattern}:\s*(\d+)", text, re.M)) / 1024


def percentile(samples, share):
    """The least sample that so many of a hundred do not exceed. With n samples that of 99 is the longest of all until
    n is 100, and so the one freak that a busy machine always has: only beyond that it says something of its own."""
    return sorted(samples)[max(0, math.ceil(len(samples) * share / 100) - 1)]


def spread(samples):
    """The interquartile range: how far the middle half of the samples lies apart."""
    return percentile(samples, 75) - percentile(samples, 25)


def wait_for(condition, what, log, limit=20):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"{what} does not start: {read(log)[-500:]}")
        time.sleep(0.05)


class Stage:
    """A broker, and what else is started, in a folder that goes with them."""

    def __init__(self):
        # Who ends a measurement by hand leaves no broker and no box behind.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        self.folder = tempfile.mkdtemp(prefix="soundbox-bench.")
        self.processes = []
        self.environment = dict(os.environ, HOME=self.folder, XDG_RUNTIME_DIR=self.folder, TMPDIR=self.folder)
        for name in ("DISPLAY", "PULSE_SERVER", "DBUS_SESSION_BUS_ADDRESS"):
            self.environment.pop(name, None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def start(self, command, log):
        with open(self.path(log), "ab") as file:
            process = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                start_new_session=True, cwd=self.folder)
        self.processes.append(process)
        return process

    def stop(self, process):
        self.processes.remove(process)
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sign)
                process.wait(10)
            except ProcessLookupError:
                return
            except subprocess.TimeoutExpired:
                continue

    def start_broker(self, settings=""):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        configuration = self.write(
            "mosquitto.conf",
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n" + settings)
        self.start([shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", configuration], "broker.log")
        wait_for(lambda: "running" in read(self.path("broker.log")), "mosquitto", self.path("broker.log"))

    def use_alsa(self, definitions):
        """What programs that are started from now on find in alsa-lib's configuration, besides its own."""
        self.environment["ALSA_CONFIG_PATH"] = (
            f"/usr/share/alsa/alsa.conf:{self.write('asound.conf', definitions)}")

    def check(self):
        """Nothing that was started has ended by itself."""
        for process in self.processes:
            if process.poll() is not None:
                raise SystemExit(f"{' '.join(process.args)} has ended with {process.returncode}")

    def close(self):
        """The logs stay when something went wrong."""
        for process in list(self.processes):
            self.stop(process)
        if sys.exc_info()[0] in (None, KeyboardInterrupt):
            shutil.rmtree(self.folder)
        else:
            print(f"the logs are in {self.folder}", file=sys.stderr)
