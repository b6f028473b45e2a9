#!/usr/bin/python3
"""Gives new sound boxes their certificate and their settings, over the broker that they will use.

A claim is a secret on the boot partition of a batch of cards. By it a box proves that it belongs
to the batch, and gets a certificate for the key that it made, and its provisioning file,
encrypted for that key. README.md beside this file has an example.
"""
import argparse
import csv
import fcntl
import json
import os
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from books import DAY, ID, NAME, Books, Ignored, Problem, Refused, fill, make, stamp

ENROL, LARGEST = "soundbox/enrol", 16 * 1024
# A box passes over what is longer.
LARGEST_ANSWER = 64 * 1024


def log(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def read(path: str) -> str:
    with open(path, encoding="utf-8-sig") as file:
        return file.read()


class Waiting:
    """Messages that are not answered yet: the newest of each topic. mosquitto_sub never waits."""

    MOST = 4000

    def __init__(self) -> None:
        self.messages: dict[str, bytes] = {}
        self.changed = threading.Condition()

    def put(self, topic: str, payload: bytes) -> None:
        with self.changed:
            if topic in self.messages or len(self.messages) < self.MOST:
                self.messages[topic] = payload
                self.changed.notify()

    def take(self, seconds: float) -> tuple[str, bytes] | None:
        with self.changed:
            if not self.messages:
                self.changed.wait(seconds)
            if not self.messages:
                return None
            topic = next(iter(self.messages))
            return topic, self.messages.pop(topic)


class Broker:
    """mosquitto_sub and mosquitto_pub. They read their options, and the password, from files."""

    def __init__(self, options: argparse.Namespace, folder: str, waiting: Waiting) -> None:
        self.environment = os.environ | {"XDG_CONFIG_HOME": folder}
        self.waiting, self.stopped = waiting, threading.Event()
        self.listening: subprocess.Popen[bytes] | None = None
        # Four at once: each waits for the network most of the time.
        self.senders, self.room = ThreadPoolExecutor(4), threading.BoundedSemaphore(64)
        lines = [f"-h {options.host}", f"-p {options.port}", "-q 1"]
        lines += [f"--{name} {os.path.abspath(path)}" for name in ("cafile", "cert", "key")
                  if (path := getattr(options, name))]
        if not options.cafile and (options.tls or options.cert or options.port == 8883):
            lines.append("--tls-use-os-certs")
        if options.username:
            lines.append(f"-u {options.username}")
        if options.password_file:
            lines.append(f"-P {read(options.password_file).strip()}")
        # A topic that holds a line break cannot pretend to be another one's line.
        mark = secrets.token_hex(8)
        self.line = re.compile(rf"{mark} ([0-9a-f]*) (\S+) {mark}\n".encode())
        subscriptions = [f"-F {mark} %x %t {mark}", "-k 20", f"-t {ENROL}/+/+/request",
                         f"-t {options.prefix}/+/+/status"]
        for name, more in (("mosquitto_pub", []), ("mosquitto_sub", subscriptions)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines + more))

    def listen(self) -> None:
        """mosquitto_sub comes back by itself when it had a connection once, and ends otherwise."""
        while not self.stopped.is_set():
            try:
                # setpriv of util-linux: it ends with this program, however that ends.
                self.listening = subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", "mosquitto_sub"], env=self.environment,
                    stdout=subprocess.PIPE)
                # What is longer is passed over, in pieces that match nothing.
                while line := self.listening.stdout.readline(2 * LARGEST + 1024):
                    if found := self.line.fullmatch(line):
                        self.received(found[2].decode(errors="replace"), found[1].decode())
                self.listening.wait()
            except OSError as error:
                log(f"mosquitto_sub: {error}")
            self.stopped.wait(1)

    def received(self, topic: str, payload: str) -> None:
        message = bytes.fromhex(payload)
        # Most statuses ask for nothing.
        if not topic.endswith("/status") or b'"request"' in message:
            self.waiting.put(topic, message)

    def send(self, topic: str, payload: dict[str, str]) -> None:
        def publish() -> None:
            try:
                done = subprocess.run(
                    ["mosquitto_pub", "-t", topic, "-s"], env=self.environment, timeout=20,
                    input=json.dumps(payload).encode(), capture_output=True)
                if done.returncode != 0:
                    log(f"not sent: {topic}: {done.stderr.decode(errors='replace').strip()}")
            except (OSError, subprocess.TimeoutExpired) as error:
                log(f"not sent: {topic}: {error}")
            finally:
                self.room.release()

        self.room.acquire()
        self.senders.submit(publish)

    def stop(self) -> None:
        self.stopped.set()
        if self.listening:
            self.listening.terminate()
        self.senders.shutdown()


def answer(books: Books, broker: Broker, prefix: str, topic: str, payload: bytes) -> None:
    """One message: at most one answer, and one line of the log."""
    parts = topic.removeprefix(f"{ENROL}/").removeprefix(f"{prefix}/").split("/")
    if len(parts) != 3 or len(payload) > LARGEST:
        raise Ignored("a topic or a size that no box has")
    first, second, kind = parts
    message = json.loads(payload)
    if not isinstance(message, dict):
        raise Ignored("not a JSON object")
    if kind == "request":
        if not ID.fullmatch(first) or not ID.fullmatch(second):
            raise Ignored("a topic without a claim and a hardware id")
        given = books.enrol(first, second, message)
        if len(json.dumps(given)) > LARGEST_ANSWER:
            given = {"nonce": given["nonce"], "refused": "its setup is larger than a box takes"}
        log(f"{second}: {first}: {given.get('refused', 'enrolled')}")
        broker.send(f"{ENROL}/{first}/{second}/answer", given)
        return
    status = message.get("certificate")
    if isinstance(status, dict) and isinstance(request := status.get("request"), str):
        if renewed := books.renew(first, second, request):
            log(f"{renewed[0]}: {first}.{second}: renewed")
            broker.send(f"{prefix}/{first}/{second}/commands", {
                "type": "certificate", "id": f"cert-{secrets.token_hex(8)}",
                "certificate": renewed[1]})


def serve(options: argparse.Namespace) -> None:
    books, waiting = Books(options.folder, options.days), Waiting()
    lock = os.open(options.folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Problem(f"another issuer serves {options.folder}") from None
    with tempfile.TemporaryDirectory(prefix="issuer-") as folder:
        broker = Broker(options, folder, waiting)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: broker.stopped.set())
        threading.Thread(target=broker.listen, daemon=True).start()
        while not broker.stopped.is_set():
            if not (taken := waiting.take(0.5)):
                continue
            try:
                answer(books, broker, options.prefix, *taken)
            except (Ignored, Refused) as reason:
                log(f"ignored: {taken[0]!r}: {reason}")
            # Whatever a message brings about, the next box wants its answer.
            except Exception as error:
                log(f"failed: {taken[0]!r}: {type(error).__name__}: {str(error)[:200]!r}")
        broker.stop()


def template(books: Books, name: str, setup: str, assign: str | None) -> None:
    """Sets what the boxes of a claim are given, within a change of the books."""
    text, rows = read(setup), []
    keys = ["hardware_id", "number"] + (["merchant_id", "device_id"] if assign else [])
    devices = {fill(text, **{key: example for key in keys})[2] for example in ("A", "B")}
    if len(devices) == 1:
        raise Problem("device_id needs {hardware_id}, {number} or, with --assign, {device_id}: two "
                      "boxes of one name would announce each other's payments")
    if assign:
        rows = list(csv.DictReader(read(assign).splitlines()))
    books.database.execute("DELETE FROM assignments WHERE claim = ?", (name,))
    for number, row in enumerate(rows, 2):
        columns = ("hardware_id", "merchant_id", "device_id")
        values = [(row.get(column) or "").strip() for column in columns]
        if not ID.fullmatch(values[0]) or not all(map(NAME.fullmatch, values[1:])):
            raise Problem(f"{assign}: line {number}: expected {', '.join(columns)}")
        try:
            books.database.execute("INSERT INTO assignments VALUES (?, ?, ?, ?)", (name, *values))
        except sqlite3.IntegrityError:
            raise Problem(f"{assign}: line {number}: stands in the list twice") from None
    books.database.execute("UPDATE claims SET setup = ?, assigned = ? WHERE name = ?",
                           (text, int(bool(assign)), name))


def claim(options: argparse.Namespace) -> None:
    books, name, token = Books(options.folder), options.name, secrets.token_urlsafe(32)
    if not ID.fullmatch(name):
        raise Problem("a claim's name is up to 64 letters, digits, dots, _ and -")
    if options.boxes < 1 or options.days < 1:
        raise Problem("--boxes and --days begin with 1")
    if not re.fullmatch(r"mqtts?://[^\s/@]+", options.broker):
        raise Problem("--broker is mqtts://HOST:PORT")
    broker = {"url": options.broker, "username": options.username}
    if options.password_file:
        broker["password"] = read(options.password_file).strip()
    ca = read(options.ca) if options.ca else ""
    expires = int(time.time()) + options.days * DAY
    with books.change() as change:
        if books.one("SELECT 1 FROM claims WHERE name = ?", name):
            raise Problem(f"there is a claim {name} already")
        change("INSERT INTO claims (name, token, boxes, expires) VALUES (?, ?, ?, ?)",
               name, token, options.boxes, expires)
        template(books, name, options.setup, options.assign)

    def block(text: str, indent: str) -> list[str]:
        return ["|", *(indent + line for line in text.strip().splitlines())]

    # A string of JSON is one of YAML.
    lines = [f"claim: {json.dumps(name)}", f"token: {json.dumps(token)}",
             "issuer: " + "\n".join(block(read(books.certificate), "  ")), "broker:"]
    lines += [f"  {key}: {json.dumps(value)}" for key, value in broker.items() if value]
    lines += ["  ca: " + "\n".join(block(ca, "    "))] if ca else []
    # Without it a box takes the claim for one that was cut off.
    print("\n".join([*lines, "..."]))


def change_claim(options: argparse.Namespace) -> None:
    books = Books(options.folder)
    with books.change():
        if not books.one("SELECT 1 FROM claims WHERE name = ?", options.name):
            raise Problem(f"there is no claim {options.name}")
        template(books, options.name, options.setup, options.assign)


def revoke(options: argparse.Namespace) -> None:
    with Books(options.folder).change() as change:
        if not change("UPDATE claims SET revoked = 1 WHERE name = ?", options.name).rowcount:
            raise Problem(f"there is no claim {options.name}")
    print(f"{options.name} is revoked: no box gets an answer by it, those it has enrolled go on")


def end_box(options: argparse.Namespace) -> None:
    """Its certificates go on the list of revocations, whether it is shut out or starts anew."""
    state = {"revoke-box": "revoked", "release": "released"}[options.command]
    with Books(options.folder).change() as change:
        if not change("UPDATE boxes SET state = ? WHERE hardware_id = ?",
                      state, options.name).rowcount:
            raise Problem(f"there is no box {options.name}")
        change("UPDATE certificates SET revoked = ? WHERE hardware_id = ? AND revoked IS NULL",
               int(time.time()), options.name)
    print(f"{options.name} is {state}; what locks its certificate out now is the broker's access "
          "list, or its CRL: see `issuer.py crl`")


def show(options: argparse.Namespace) -> None:
    books = Books(options.folder)
    for row in books.database.execute("SELECT * FROM claims ORDER BY name"):
        expired = row["expires"] <= time.time()
        state = "revoked" if row["revoked"] else "expired" if expired else "open"
        print(f"claim {row['name']}  {row['used']}/{row['boxes']}  "
              f"{stamp(row['expires'], '%Y-%m-%dT%H:%MZ')}  {state}")
    for row in books.database.execute(
            "SELECT boxes.*, max(ends) AS ends FROM boxes JOIN certificates USING (hardware_id) "
            "GROUP BY hardware_id ORDER BY claim, number"):
        print(f"box {row['hardware_id']}  {row['merchant']}.{row['device']}  "
              f"{stamp(row['ends'], '%Y-%m-%dT%H:%MZ')}  {row['state']}")


def arguments() -> argparse.Namespace:
    top = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--folder", default=".", help="the issuer's own folder (default: this one)")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, action: object, text: str, operand: str = "") -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text, parents=[shared])
        made.set_defaults(action=action)
        if operand:
            made.add_argument("name", metavar=operand)
        return made

    init = command("init", lambda o: make(o.folder, o.name), "make the authority and the database")
    init.add_argument("--name", default="Sound box issuer", help="of the authority")
    new = command("claim", claim, "make a claim and print its claim.yaml", "NAME")
    new.add_argument("--boxes", type=int, required=True, help="how many may enrol")
    new.add_argument("--days", type=int, required=True, help="how long new ones may")
    new.add_argument("--broker", required=True, metavar="URL", help="mqtts://host:8883")
    new.add_argument("--ca", metavar="FILE", help="the authority of the broker's certificate")
    changed = command("change", change_claim, "give a claim another template or list", "NAME")
    for made in (new, changed):
        made.add_argument("--setup", required=True, metavar="FILE", help="a provisioning file with "
                          "{hardware_id}, {number}, or {merchant_id} and {device_id} of --assign")
        made.add_argument("--assign", metavar="FILE",
                          help="CSV with the columns hardware_id, merchant_id, device_id")
    command("revoke", revoke, "answer nobody by this claim any more", "NAME")
    command("revoke-box", end_box, "no answer and no renewal for this box", "HARDWARE_ID")
    command("release", end_box, "let this box enrol anew, with another key", "HARDWARE_ID")
    command("list", show, "show claims and boxes")
    command("crl", lambda o: print(Books(o.folder).revocations(), end=""),
            "print the list of revocations for the broker")
    run = command("serve", serve, "answer boxes until SIGTERM")
    run.add_argument("--host", required=True)
    run.add_argument("--port", type=int, required=True)
    run.add_argument("--tls", action="store_true", help="with the authorities of the system; "
                     "needless with --cafile, --cert or port 8883")
    for name in ("--cafile", "--cert", "--key"):
        run.add_argument(name, metavar="FILE")
    run.add_argument("--days", type=int, default=365, help="a certificate's lifetime (365)")
    run.add_argument("--prefix", default="soundbox/v1", help="of the boxes' topics (soundbox/v1)")
    for made in (new, run):
        made.add_argument("--username", metavar="USER")
        made.add_argument("--password-file", metavar="FILE")
    return top.parse_args()


def main() -> None:
    os.umask(0o077)
    options = arguments()
    options.folder = os.path.abspath(options.folder)
    try:
        options.action(options)
    except (Problem, OSError, ValueError, sqlite3.Error, subprocess.SubprocessError) as error:
        print(f"issuer.py: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
