"""When a box comes back after its connection has ended: the rule of the program, with the figures of its sources.

`MQTTFeedLoop.delay(after:)` and `Backoff` decide that. This is the same for a broker with one address."""
import random
import re

from stage import ROOT, Failure


def seconds(file: str, pattern: str) -> float:
    """A duration in a source file. Raises ``Failure`` when it is not there any more."""
    with open(f"{ROOT}/Sources/{file}", encoding="utf-8") as source:
        found = re.search(pattern, source.read())
    if not found:
        raise Failure(f"Sources/{file} has no {pattern}: reconnection.py no longer knows the rule")
    return float(found[2]) / (1000 if found[1] == "milliseconds" else 1)


_DURATION = r"(milliseconds|seconds)\((\d+)\)"
WINDOW = seconds("SoundboxConfiguration/Configuration+Default.swift", rf"reconnectWindow = Duration\.{_DURATION}")
INITIAL = seconds("SoundboxMQTT/Backoff.swift", rf"initial: Duration = \.{_DURATION}")
MAXIMUM = seconds("SoundboxMQTT/Backoff.swift", rf"maximum: Duration = \.{_DURATION}")
KEEP_ALIVE = int(seconds("SoundboxConfiguration/Configuration+Default.swift", rf"keepAlive = Duration\.{_DURATION}"))


class Reconnection:
    """The waits of one box."""

    def __init__(self) -> None:
        self._ceiling = INITIAL

    def after_loss(self) -> float:
        """The connection had proved itself, and has ended."""
        self._ceiling = min(INITIAL * 2, MAXIMUM)
        return WINDOW * random.random()

    def after_failure(self) -> float:
        """An attempt has failed."""
        delay = self._ceiling / 2 + self._ceiling / 2 * random.random()
        self._ceiling = min(self._ceiling * 2, MAXIMUM)
        return delay
