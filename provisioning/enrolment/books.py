"""The issuer's decisions: which box gets a certificate, and what is written down about it."""
import base64
import contextlib
import hashlib
import hmac
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

DAY = 86400
ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# As in ../broker/boxes.py, and without what would end a quoted value of the template.
NAME = re.compile(r"[^\s+#/.\"'\\{}]+")
PLACEHOLDER = re.compile(r"\{(hardware_id|number|merchant_id|device_id)\}")
# What stands in front of the point in a P-256 public key, uncompressed.
P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
CA_CONFIG = """
[issuer]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = names
[names]
commonName = supplied
[box]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature,keyAgreement
extendedKeyUsage = clientAuth
[req]
distinguished_name = names
[self]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign,digitalSignature
subjectKeyIdentifier = hash
"""
# A claim's `used` only grows, so that no number is given twice.
# A released box leaves its name to others; a revoked one does not, as its certificate still works.
SCHEMA = """
CREATE TABLE claims (name TEXT PRIMARY KEY, token TEXT, setup TEXT, assigned INTEGER,
    boxes INTEGER, used INTEGER DEFAULT 0, expires INTEGER, revoked INTEGER DEFAULT 0);
CREATE TABLE assignments (claim TEXT, hardware_id TEXT, merchant TEXT, device TEXT,
    PRIMARY KEY (claim, hardware_id), UNIQUE (claim, merchant, device));
CREATE TABLE boxes (hardware_id TEXT PRIMARY KEY, claim TEXT, number INTEGER, merchant TEXT,
    device TEXT, state TEXT);
CREATE UNIQUE INDEX names ON boxes (merchant, device) WHERE state != 'released';
CREATE TABLE certificates (serial TEXT PRIMARY KEY, hardware_id TEXT, user TEXT, key BLOB,
    request BLOB, pem TEXT, starts INTEGER, ends INTEGER, answered INTEGER, revoked INTEGER);
CREATE INDEX owners ON certificates (hardware_id);
CREATE TABLE nonces (claim TEXT, hardware_id TEXT, nonce BLOB,
    PRIMARY KEY (claim, hardware_id, nonce)) WITHOUT ROWID;
"""


class Problem(Exception):
    """Told to who runs the command."""


class Refused(Exception):
    """Told to the box."""


class Ignored(Exception):
    """Logged, and not answered."""


def stamp(moment: float, form: str = "%Y%m%d%H%M%SZ") -> str:
    return time.strftime(form, time.gmtime(moment))


def openssl(*arguments: str, data: str | bytes = b"",
            folder: str | None = None) -> tuple[bytes, bytes]:
    """What it wrote to its output, and to its errors."""
    data = data.encode() if isinstance(data, str) else data
    done = subprocess.run(
        ["openssl", *arguments], input=data, capture_output=True, cwd=folder, timeout=60)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").splitlines() or ["no reason given"]
        raise Problem(f"openssl {arguments[0]}: {said[-1]}")
    return done.stdout, done.stderr


@contextlib.contextmanager
def workplace(**files: str | bytes) -> Iterator[str]:
    """What openssl reads from files. Its books are new each time: ours are in the database."""
    with tempfile.TemporaryDirectory(prefix="issuer-") as place:
        for name, text in ({"config": CA_CONFIG, "index.txt": ""} | files).items():
            with open(os.path.join(place, name), "wb") as file:
                file.write(text.encode() if isinstance(text, str) else text)
        yield place


def read_request(text: str) -> tuple[bytes, bytes]:
    """The request as openssl has understood it, and its public key."""
    try:
        output, said = openssl("req", "-verify", "-pubkey", data=text)
    except Problem:
        raise Refused("the certificate request cannot be read") from None
    # openssl 3.0 ends with 0 also where the signature is wrong.
    if b"verify OK" not in said:
        raise Refused("the certificate request is not signed by its own key")
    public, end, request = output.partition(b"-----END PUBLIC KEY-----\n")
    key = base64.b64decode(public.partition(b"-----BEGIN PUBLIC KEY-----")[2])
    if not key.startswith(P256) or len(key) != len(P256) + 64:
        raise Refused("the key of the certificate request is not EC P-256")
    return request, key


def fill(setup: str, **values: object) -> tuple[str, str, str]:
    """The provisioning file of a box, its merchant and its device."""
    try:
        text = PLACEHOLDER.sub(lambda found: str(values[found[1]]), setup)
    except KeyError as missing:
        raise Problem(f"the template has {{{missing.args[0]}}}: that needs --assign") from None
    names = []
    for key in ("merchant_id", "device_id"):
        lines = re.findall(rf"^{key}:[ \t]+([\"']?)(.*?)\1[ \t]*(?:[ \t]#.*)?\r?$", text, re.M)
        if len(lines) != 1:
            raise Problem(f"the template needs one line \"{key}: …\" at its top level")
        if not NAME.fullmatch(lines[0][1]) or not lines[0][1].isprintable():
            raise Problem(
                f"\"{lines[0][1]}\" cannot be a {key}: no blanks, dots, slashes, quotes, + or #")
        names.append(lines[0][1])
    if len(".".join(names)) > 64:
        raise Problem(f"{'.'.join(names)} is longer than the 64 characters of a certificate's name")
    return text, names[0], names[1]


class Books:
    """The authority and the database: what is decided is written here before it is answered."""

    def __init__(self, folder: str, days: int = 365) -> None:
        self.certificate, self.key = (os.path.join(folder, name) for name in ("ca.pem", "ca.key"))
        self.days, path = days, os.path.join(folder, "issuer.sqlite")
        if not os.path.exists(path):
            raise Problem(f"{folder} has no issuer: make one by `issuer.py init`")
        self.database = sqlite3.connect(path, timeout=60, isolation_level=None)
        self.database.row_factory = sqlite3.Row
        self.database.execute("PRAGMA synchronous = FULL")

    def one(self, query: str, *values: object) -> sqlite3.Row | None:
        return self.database.execute(query, values).fetchone()

    @contextlib.contextmanager
    def change(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """Whole or not at all, whatever happens meanwhile."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield lambda query, *values: self.database.execute(query, values)
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def issue(self, hardware_id: str, user: str, key: bytes, request: bytes, seen: bytes) -> str:
        now = int(time.time())
        # The clock of a box may be behind.
        starts, ends = now - 3600, now + self.days * DAY
        with workplace(request=request) as place:
            pem = openssl(
                "ca", "-batch", "-notext", "-config", "config", "-name", "issuer",
                "-extensions", "box", "-cert", self.certificate, "-keyfile", self.key,
                "-startdate", stamp(starts), "-enddate", stamp(ends), "-utf8",
                "-subj", f"/CN={user}", "-in", "request", folder=place)[0].decode()
            with open(os.path.join(place, "index.txt"), encoding="utf-8") as file:
                serial = file.read().split("\t")[3]
        self.database.execute(
            "INSERT INTO certificates VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (serial, hardware_id, user, key, seen, pem, starts, ends, now))
        return pem

    def package(self, content: dict[str, str], certificate: str) -> str:
        signed = openssl(
            "cms", "-sign", "-binary", "-nodetach", "-nosmimecap", "-md", "sha256",
            "-outform", "DER", "-signer", self.certificate, "-inkey", self.key,
            data=json.dumps(content))[0]
        with workplace(box=certificate) as place:
            return openssl("cms", "-encrypt", "-binary", "-aes-256-cbc", "-outform", "PEM", "box",
                           data=signed, folder=place)[0].decode()

    def enrol(self, name: str, hardware_id: str, message: dict[str, Any]) -> dict[str, str]:
        nonce, request = message.get("nonce"), message.get("request")
        if not isinstance(nonce, str) or not re.fullmatch("[0-9a-f]{32}", nonce):
            raise Ignored("without a nonce")
        answer = {"nonce": nonce}
        with self.change():
            try:
                content, certificate = self.admit(name, hardware_id, nonce, str(request), message)
            except Refused as reason:
                return answer | {"refused": str(reason)}
        package = self.package(answer | content, certificate)
        return answer | {"certificate": certificate, "package": package}

    def admit(self, name: str, hardware_id: str, nonce: str, request: str,
              message: dict[str, Any]) -> tuple[dict[str, str], str]:
        """What to pack, and the certificate. Looks first and writes last: a refusal is kept too."""
        named = [message.get(key) for key in ("version", "claim", "hardware_id")]
        if named != [1, name, hardware_id]:
            raise Refused("not a request of version 1 for the claim and hardware id of its topic")
        claim = self.one("SELECT * FROM claims WHERE name = ?", name)
        said = "\n".join((name, hardware_id, nonce, request)).encode()
        # An unknown claim takes as long as a known one.
        token = claim["token"] if claim else ""
        proof = hmac.new(token.encode(), said, hashlib.sha256).hexdigest()
        right = hmac.compare_digest(proof.encode(), str(message.get("proof")).encode())
        if not claim or not right:
            raise Refused("unknown claim or wrong token")
        if not self.database.execute(
                "INSERT OR IGNORE INTO nonces VALUES (?, ?, ?)",
                (name, hardware_id, bytes.fromhex(nonce))).rowcount:
            raise Ignored("replayed")
        box = self.one("SELECT * FROM boxes WHERE hardware_id = ?", hardware_id)
        enrolled, known = box and box["state"] == "enrolled", box and box["claim"] == name
        if claim["revoked"]:
            raise Refused("this claim is revoked")
        if box and box["state"] == "revoked":
            raise Refused("this box is revoked")
        if enrolled and not known:
            raise Refused("this hardware id is enrolled by another claim: release it first")
        if not known and claim["expires"] <= time.time():
            raise Refused("this claim has expired")
        if not known and claim["used"] >= claim["boxes"]:
            raise Refused("this claim has enrolled as many boxes as it may")
        place = self.one(
            "SELECT * FROM assignments WHERE claim = ? AND hardware_id = ?", name, hardware_id)
        if claim["assigned"] and not place:
            raise Refused("this hardware id is not in the list of the claim")
        number = box["number"] if known else claim["used"] + 1
        values = {"hardware_id": hardware_id, "number": number}
        if place:
            values |= {"merchant_id": place["merchant"], "device_id": place["device"]}
        try:
            setup, merchant, device = fill(claim["setup"], **values)
        except Problem as problem:
            raise Refused(str(problem)) from None
        user = f"{merchant}.{device}"
        if self.one("SELECT 1 FROM boxes WHERE merchant = ? AND device = ? AND state != 'released' "
                    "AND hardware_id != ?", merchant, device, hardware_id):
            raise Refused(f"another box has the name {user}")
        signed, key = read_request(request)
        own = "FROM certificates WHERE hardware_id = ? AND key = ? AND revoked IS NULL"
        if enrolled and not self.one(f"SELECT 1 {own}", hardware_id, key):
            raise Refused("this hardware id is enrolled with another key: release it first")
        old = self.one(f"SELECT pem {own} AND user = ? AND ends - ? >= (ends - starts) / 2 "
                       "ORDER BY ends DESC", hardware_id, key, user, int(time.time()))
        # No renewal is like it: a box may ask with the same request again when the time has come.
        pem = old["pem"] if old else self.issue(hardware_id, user, key, signed, b"")
        self.database.execute("REPLACE INTO boxes VALUES (?, ?, ?, ?, ?, 'enrolled')",
                              (hardware_id, name, number, merchant, device))
        if not known:
            self.database.execute("UPDATE claims SET used = ? WHERE name = ?", (number, name))
        return {"hardware_id": hardware_id, "setup": setup}, pem

    def renew(self, merchant: str, device: str, request: str) -> tuple[str, str] | None:
        """The hardware id and its new certificate; nothing for a box of somebody else."""
        with self.change():
            box = self.one("SELECT * FROM boxes WHERE merchant = ? AND device = ? "
                           "AND state != 'released'", merchant, device)
            if not box:
                return None
            hardware_id, now = box["hardware_id"], int(time.time())
            if box["state"] == "revoked":
                raise Ignored(f"{hardware_id}: renewal: this box is revoked")
            seen = hashlib.sha256(request.encode()).digest()
            old = self.one("SELECT * FROM certificates WHERE hardware_id = ? AND request = ? "
                           "AND revoked IS NULL AND ends - ? >= (ends - starts) / 2 "
                           "ORDER BY ends DESC", hardware_id, seen, now)
            if old:
                # A status comes often, and this one was on its way before the last answer.
                if abs(now - old["answered"]) < 60:
                    return None
                self.database.execute("UPDATE certificates SET answered = ? WHERE serial = ?",
                                      (now, old["serial"]))
                return hardware_id, old["pem"]
            made = self.one("SELECT count(*) AS number FROM certificates WHERE hardware_id = ? "
                            "AND starts > ?", hardware_id, now - DAY)
            if made["number"] >= 24:
                raise Ignored(f"{hardware_id}: renewal: 24 certificates within a day are enough")
            signed, key = read_request(request)
            user = f"{merchant}.{device}"
            return hardware_id, self.issue(hardware_id, user, key, signed, seen)

    def revocations(self) -> str:
        """The certificates that no longer count, as a list that brokers read."""
        rows = self.database.execute(
            "SELECT * FROM certificates WHERE revoked IS NOT NULL AND ends > ?", (time.time(),))
        index = "".join(
            "\t".join(("R", stamp(row["ends"])[2:], stamp(row["revoked"])[2:], row["serial"],
                       "unknown", f"/CN={row['user']}\n")) for row in rows)
        # A broker refuses everybody once the list has expired.
        with workplace(**{"index.txt": index}) as place:
            return openssl("ca", "-gencrl", "-crldays", "3650", "-config", "config",
                           "-name", "issuer", "-cert", self.certificate, "-keyfile", self.key,
                           folder=place)[0].decode()


def make(folder: str, name: str) -> None:
    """All three files or none: what was there stays."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.listdir(folder):
        raise Problem(f"{folder} is not empty: the issuer needs a folder of its own, see --folder")
    os.chmod(folder, 0o700)
    with tempfile.TemporaryDirectory(dir=folder) as place, workplace() as files:
        openssl("req", "-x509", "-config", "config", "-extensions", "self", "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-sha256", "-days", "7305",
                "-utf8", "-subj", f"/CN={name}", "-keyout", f"{place}/ca.key",
                "-out", f"{place}/ca.pem", folder=files)
        with contextlib.closing(sqlite3.connect(f"{place}/issuer.sqlite")) as database:
            database.executescript(SCHEMA)
        for file in ("ca.key", "ca.pem", "issuer.sqlite"):
            os.rename(f"{place}/{file}", os.path.join(folder, file))
