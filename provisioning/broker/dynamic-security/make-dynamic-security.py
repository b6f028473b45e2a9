#!/usr/bin/python3
"""Writes the file of mosquitto's dynamic-security plugin for boxes and their payment provider: each box has a password
of its own and gets in under its own client id only.

usage: make-dynamic-security.py PROVIDER PASSWORDS <boxes >dynamic-security.json

Standard input: one box a line, MERCHANT DEVICE. A box signs in as MERCHANT.DEVICE, the provider as PROVIDER, and who
runs `mosquitto_ctrl dynsec` as `admin`. Their passwords are files of those names in the folder PASSWORDS: made where
they are missing, kept where they are there. After a change: systemctl restart mosquitto.
"""
import base64
import hashlib
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import boxes
import passwords

# What a password of 256 random bits needs; each costs the broker time when all boxes come back at once.
ITERATIONS = 101
TO_BOX, FROM_BOX, BOTH = ["payments", "commands"], ["receipts", "replies", "status"], ["probe"]


def client(user: str, password: str, role: str, client_id: str | None = None) -> dict[str, object]:
    salt = os.urandom(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ITERATIONS, 64)
    bound = {"clientid": client_id} if client_id else {}
    return bound | {
        "username": user, "password": base64.b64encode(digest).decode(), "salt": base64.b64encode(salt).decode(),
        "iterations": ITERATIONS, "roles": [{"rolename": role}]}


def role(name: str, reads: list[str], writes: list[str], subscription: str) -> dict[str, object]:
    def allow(kind: str, topics: list[str]) -> list[dict[str, object]]:
        return [{"acltype": kind, "topic": topic, "allow": True} for topic in topics]

    return {
        "rolename": name,
        "acls": allow(subscription, reads) + allow("publishClientReceive", reads) + allow("publishClientSend", writes)}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: make-dynamic-security.py PROVIDER PASSWORDS <boxes")
    provider, folder = sys.argv[1:]
    listed = boxes.read(sys.stdin, provider)
    if provider == "admin" or any(box.user == "admin" for box in listed):
        sys.exit("the name \"admin\" belongs to whoever changes this file")
    everyone = [f"{boxes.PREFIX}/+/+/{name}" for name in TO_BOX + FROM_BOX]
    clients = [
        client("admin", passwords.password(folder, "admin"), "admin"),
        client(provider, passwords.password(folder, provider), "provider")]
    control = ["$CONTROL/dynamic-security/#"]
    roles = [
        role("admin", control, ["$CONTROL/dynamic-security/#"], "subscribePattern"),
        role("provider", everyone[len(TO_BOX):], everyone[:len(TO_BOX)], "subscribePattern")]
    for box in listed:
        clients.append(client(box.user, passwords.password(folder, box.user), box.user, box.client_id))
        roles.append(role(
            box.user, [box.topic(name) for name in TO_BOX + BOTH], [box.topic(name) for name in FROM_BOX + BOTH],
            "subscribeLiteral"))
    access = {"publishClientSend": False, "publishClientReceive": False, "subscribe": False, "unsubscribe": True}
    json.dump({"defaultACLAccess": access, "clients": clients, "roles": roles}, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
