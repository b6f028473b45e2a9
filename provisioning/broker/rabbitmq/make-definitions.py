#!/usr/bin/python3
"""Writes RabbitMQ's definitions for boxes and their payment provider: users, permissions and topic permissions.

usage: make-definitions.py PROVIDER [PASSWORDS] <boxes >definitions.json

Standard input: one box a line, MERCHANT DEVICE. A box signs in as MERCHANT.DEVICE and the provider as PROVIDER, which
comes with client ids that begin with PROVIDER and a hyphen. With the folder PASSWORDS they have passwords, files of
those names in it: made where they are missing, kept where they are there. Without it they have none, and sign in by
certificates of these common names. After a change, on one node: rabbitmqctl import_definitions definitions.json.
"""
import base64
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import boxes
import passwords

TO_BOX, FROM_BOX, BOTH = ["payments", "commands"], ["receipts", "replies", "status"], ["probe"]
# The client ids with which `soundbox setup`, `doctor` and `publish` come beside a box. They are nobody's session.
VISITOR = r"soundbox-[a-z]+\.[0-9a-z]+"


def escaped(text: str) -> str:
    """Matches exactly this text, in the regular expressions of Erlang and of Python."""
    return re.sub(r"([^0-9A-Za-z_-])", r"\\\1", text)


def key(prefix: str, who: str, names: list[str]) -> str:
    """Routing keys: RabbitMQ has dots where MQTT has slashes."""
    begin = escaped(prefix.replace("/", "."))
    return rf"^{begin}\.{who}\.({'|'.join(names)})$"


def user(name: str, folder: str | None) -> dict[str, object]:
    if folder is None:
        # No password is the right one.
        return {"name": name, "password_hash": "", "tags": []}
    salt = os.urandom(4)
    digest = hashlib.sha256(salt + passwords.password(folder, name).encode()).digest()
    return {
        "name": name, "password_hash": base64.b64encode(salt + digest).decode(),
        "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": []}


def permission(name: str, client_ids: str) -> dict[str, str]:
    """The queue of a session is called after the client id. Who may not touch it can neither read nor remove it."""
    queue = rf"^mqtt-subscription-({client_ids})qos[01]$"
    both = rf"{queue}|^amq\.topic$"
    return {"user": name, "vhost": "/", "configure": queue, "write": both, "read": both}


def topics(name: str, write: str, read: str) -> dict[str, str]:
    return {"user": name, "vhost": "/", "exchange": "amq.topic", "write": write, "read": read}


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make-definitions.py PROVIDER [PASSWORDS] <boxes")
    provider, folder = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else None
    listed = boxes.read(sys.stdin, provider)
    anyone = r"[^.]+\.[^.]+"
    users = [user(provider, folder)]
    permissions = [permission(provider, rf"{escaped(provider)}-[0-9A-Za-z_-]+")]
    topic_permissions = [
        topics(provider, key(boxes.PREFIX, anyone, TO_BOX), key_of_subscriptions(FROM_BOX))]
    for box in listed:
        who = rf"{escaped(box.merchant)}\.{escaped(box.device)}"
        users.append(user(box.user, folder))
        permissions.append(permission(box.user, f"{escaped(box.client_id)}|{VISITOR}"))
        topic_permissions.append(
            topics(box.user, key(boxes.PREFIX, who, FROM_BOX + BOTH), key(boxes.PREFIX, who, TO_BOX + BOTH)))
    json.dump(
        {
            "vhosts": [{"name": "/"}], "users": users, "permissions": permissions,
            "topic_permissions": topic_permissions},
        sys.stdout, indent=1, ensure_ascii=False)
    print()


def key_of_subscriptions(names: list[str]) -> str:
    """What a provider subscribes to: receipts, replies and status of one box, of a merchant's or of all (`+`, here `*`)."""
    return key(boxes.PREFIX, r"[^.#]+\.[^.#]+", names)


if __name__ == "__main__":
    main()
