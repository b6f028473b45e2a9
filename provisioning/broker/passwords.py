"""Passwords in a folder, one file for each name: made where they are missing, and kept where they are not."""
import os
import secrets
import urllib.parse


def password(folder: str, user: str) -> str:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, urllib.parse.quote(user, safe="."))
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        made = secrets.token_urlsafe(32)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{made}\n")
        return made
