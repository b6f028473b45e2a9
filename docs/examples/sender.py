#!/usr/bin/env python3
"""Sends payments to one box, and again until the shop has heard them. For paho-mqtt 1.6 or 2 (Debian: python3-paho-mqtt).

    sender.py --broker 127.0.0.1:1883 --key-file box-01.key M1001 box-01 A-1=123.45 A-2=5

A server of your own keeps payments and session epochs in its database, and serves all its boxes in one session.
"""
import argparse, hashlib, hmac, json, queue, re, sys, time
from datetime import datetime, timezone
import paho.mqtt.client as mqtt

parser = argparse.ArgumentParser()
parser.add_argument("merchant")
parser.add_argument("device")
parser.add_argument("payments", nargs="+", metavar="ID=AMOUNT")
parser.add_argument("--broker", default="127.0.0.1:1883")
parser.add_argument("--username")
parser.add_argument("--password-file")
parser.add_argument("--cafile", help="connects with TLS, to a broker with a certificate of this authority")
parser.add_argument("--key-file", help="signs; a box with a key takes nothing else")
parser.add_argument("--session-epoch", type=int, help="the last session_epoch that you know of this box")
parser.add_argument("--resend-after", type=float, default=30, metavar="SECONDS", help="doubles up to ten times as long")
parser.add_argument("--reconcile", type=float, metavar="SECONDS", help="sends reconciled so long after it, such as 60")
options = parser.parse_args()
prefix = f"soundbox/v1/{options.merchant}/{options.device}/"
read_line = lambda path: open(path, encoding="utf-8").readline().rstrip("\r\n")
ENDS = ("announced", "expired", "cancelled", "duplicate", "failed", "given up")
events = queue.Queue()  # what the network thread sees
in_flight = {}  # what the broker has not acknowledged; paho publishes it again after each connection
epoch, online_until, reconcile_at = options.session_epoch, 0, None

class Payment:
    def __init__(self, text):
        self.id, amount = text.split("=")
        self.notice = {"id": self.id, "amount": amount, "paid_at": datetime.now(timezone.utc).isoformat()}
        self.began, self.wait, self.due = time.monotonic(), options.resend_after, None  # due: once acknowledged
        self.resends = -1
        self.become("new")

    def become(self, state, detail=""):
        self.state = state
        print(self.id, state, detail, flush=True)

    def send(self):
        self.due, self.resends = None, self.resends + 1
        publish("payments", self.notice, self)

def publish(topic, message, payment=None):
    body = json.dumps({**message, "signature": ""}).encode()
    if options.key_file:
        signed = (prefix + topic).encode() + b"\n" + body
        digest = hmac.new(read_line(options.key_file).strip().encode(), signed, hashlib.sha256).hexdigest()
        body = body.replace(b'"signature": ""', b'"signature": "' + digest.encode() + b'"')
    in_flight[client.publish(prefix + topic, body, qos=1).mid] = payment

def subscribed(_):  # from here on no receipt is missed
    for payment in payments.values():
        if payment.state == "new":
            payment.become("sent")
            payment.send()

def acknowledged(mid):
    if payment := in_flight.pop(mid, None):
        payment.due = time.monotonic() + payment.wait
        if payment.state == "sent":
            payment.become("published")

def status(status):
    global epoch, online_until, reconcile_at
    was_online, is_online, known = time.monotonic() < online_until, status["state"] == "online", epoch
    # A box sends it once a minute. A broker that was killed keeps an old one.
    online_until = is_online and time.monotonic() + 180
    if is_online:  # an epoch counts from the moment that the box can be reached in it
        epoch = status.get("session_epoch", epoch)
    waiting = [payment for payment in payments.values() if payment.state == "published" and payment.due]
    if is_online and known is not None and epoch > known:  # what the broker had acknowledged may be lost
        for payment in waiting:
            payment.send()
        reconcile_at = options.reconcile and time.monotonic() + options.reconcile
    elif is_online and not was_online:  # the copy that waited at the broker comes now
        for payment in waiting:
            payment.due = time.monotonic() + payment.wait

def receipts(receipt):
    payment, state, reason = payments.get(receipt["id"]), receipt["state"], receipt.get("reason", "")
    if payment is None or payment.state in ENDS or "kind" in receipt:  # receipts may come twice
        return
    if state == "rejected" and reason.startswith("storage:"):  # the box's disk has lost it
        payment.become("published", reason)
        payment.due = time.monotonic() + payment.wait
    elif state == "duplicate" and payment.state in ("sent", "published") and not payment.resends:
        payment.become("duplicate", reason or "the box knew the id before")
    elif state in ("stored", "duplicate"):
        payment.become("stored", reason)
    else:
        payment.become("failed" if state == "rejected" else state, reason or receipt.get("how", ""))

def received(message):
    try:  # an empty one has taken back a retained status
        (receipts if message.topic.endswith("/receipts") else status)(json.loads(message.payload))
    except (ValueError, KeyError, TypeError):
        pass

def connected(client, data, flags, code):
    print("broker:", mqtt.connack_string(code), flush=True)
    client.subscribe([(prefix + "receipts", 1), (prefix + "status", 1)])

version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []  # from 2 on
client = mqtt.Client(*version, f"provider-{options.merchant}-{options.device}", clean_session=False)
client.on_connect = connected
client.on_subscribe = lambda client, data, mid, qos: events.put((subscribed, None))
client.on_publish = lambda client, data, mid: events.put((acknowledged, mid))
# paho acknowledges a receipt when this returns: have it in your database by then.
client.on_message = lambda client, data, message: events.put((received, message))
if options.username:
    client.username_pw_set(options.username, read_line(options.password_file))
if options.cafile:
    client.tls_set(options.cafile)
if not all(re.fullmatch("[^=]+=[^=]+", text) for text in options.payments):
    parser.error("expected ID=AMOUNT")
payments = {payment.id: payment for payment in map(Payment, options.payments)}
if len(payments) < len(options.payments):
    parser.error("an id is there twice")
host, port = options.broker.rsplit(":", 1)
client.connect_async(host, int(port))
client.loop_start()
while in_flight or reconcile_at or any(payment.state not in ENDS for payment in payments.values()):
    try:
        handle, data = events.get(timeout=0.1)
        handle(data)
    except queue.Empty:
        pass
    now = time.monotonic()
    for payment in payments.values():
        if payment.state not in ENDS and now > payment.began + 72 * 3600:
            payment.become("given up")
        # Never into the queue of a box that is away: it would fill up, and the next payment find no room.
        elif payment.state == "published" and payment.due and payment.due < now < online_until:
            payment.wait = min(payment.wait * 2, options.resend_after * 10)
            payment.send()
    if reconcile_at and reconcile_at < now < online_until and not in_flight:
        reconcile_at = publish("commands", {"type": "reconciled", "session_epoch": epoch})
client.disconnect()
client.loop_stop()
sys.exit(any(payment.state != "announced" for payment in payments.values()))
