#!/usr/bin/python3
"""Receives callbacks of soundbox-gateway: an example of what a receiver has to do.

usage: receiver.py PORT SECRET_FILE

1. Check the signature over the bytes as they came, and the time.
2. Store the event under its id, or see that it is stored already: events may come twice.
3. Answer with 2xx within 10 s. Every other answer brings the event again.

Prints each event once. A real receiver stores ids on its disk; this one forgets them as it ends.
"""
import base64
import hashlib
import hmac
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# An event of a payment is much smaller.
LARGEST = 64 * 1024
# A request that somebody has recorded is refused later. An attempt has a time of its own.
WITHIN = 300


def problem(headers, body: bytes, secret: bytes) -> str | None:
    """Why a request is not the gateway's; None if it is. As https://www.standardwebhooks.com says."""
    identity, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not identity or not (seconds.isascii() and seconds.isdigit() and len(seconds) < 16):
        return "webhook-id or webhook-timestamp is missing"
    if abs(time.time() - int(seconds)) > WITHIN:
        return "webhook-timestamp is too far from this machine's clock"
    code = hmac.new(secret, f"{identity}.{seconds}.".encode() + body, hashlib.sha256).digest()
    right = "v1," + base64.b64encode(code).decode()
    # While the secret changes there are two.
    signatures = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(right.encode(), signature.encode()) for signature in signatures):
        return "webhook-signature is wrong"
    return None


class Receiver(BaseHTTPRequestHandler):
    timeout = 30
    secret = b""
    known: set[str] = set()
    lock = threading.Lock()

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 6 or int(length) > LARGEST:
            self.answer(413)
            return
        body = self.rfile.read(int(length))
        reason = problem(self.headers, body, self.secret)
        if reason is not None:
            print(f"refused: {reason}", file=sys.stderr, flush=True)
            self.answer(401)
            return
        event, identity = json.loads(body), self.headers["webhook-id"]
        with self.lock:
            if identity not in self.known:
                data = event["data"]
                print(
                    identity, event["type"], f"{data['merchant']}/{data['device']}/{data['id']}",
                    data["amount"], data["currency"], flush=True)
                self.known.add(identity)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_) -> None:
        pass


def main() -> None:
    port, path = int(sys.argv[1]), sys.argv[2]
    with open(path, encoding="utf-8") as file:
        Receiver.secret = base64.b64decode(file.readline().strip().removeprefix("whsec_"), validate=True)
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()


if __name__ == "__main__":
    main()
