"""A list of boxes, one a line, as every script of this folder takes it: MERCHANT DEVICE."""
import re
import sys
from collections.abc import Iterable
from typing import NamedTuple

PREFIX = "soundbox/v1"
# What could widen an entry: wildcards, further levels, and the dot that separates merchant and device.
NAME = re.compile(r"[^\s+#/.]+")


class Box(NamedTuple):
    merchant: str
    device: str

    @property
    def user(self) -> str:
        """Under which name it signs in."""
        return f"{self.merchant}.{self.device}"

    @property
    def client_id(self) -> str:
        """As the box comes, unless `broker.client_id` says otherwise."""
        merchant = self.merchant.replace("%", "%25").replace("-", "%2D")
        return f"soundbox-{merchant}-{self.device}"

    def topic(self, name: str) -> str:
        return f"{PREFIX}/{self.merchant}/{self.device}/{name}"


def read(lines: Iterable[str], provider: str) -> list[Box]:
    """Ends the program with the number of a line that cannot be used."""
    if not re.fullmatch(r"[^\s+#/]+", provider):
        sys.exit(f"the provider's name \"{provider}\" cannot be used")
    boxes: list[Box] = []
    for number, line in enumerate(lines, 1):
        # What Windows puts in front of a text.
        words = line.removeprefix("\ufeff").split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or not all(NAME.fullmatch(word) for word in words):
            sys.exit(f"line {number}: expected MERCHANT DEVICE, without blanks, dots, slashes, + or # in them")
        box = Box(*words)
        if box.user == provider:
            sys.exit(f"line {number}: a box cannot have the provider's name, {provider}: it would have its rights")
        if box in boxes:
            sys.exit(f"line {number}: {box.user} stands in the list twice")
        boxes.append(box)
    return boxes
