"""When a box comes back after its connection has ended: the rule of the program, with the figures of its sources.

`FeedLoop.delay(after:)` and `Backoff` decide that. This is the same for a broker with one address."""
import collections
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
WINDOW = seconds("SoundboxYAML/BrokerSettings+YAML.swift", rf'"reconnect_window".*\?\? \.{_DURATION}')
INITIAL = seconds("SoundboxMQTT/Retry.swift", rf"initial: Duration = \.{_DURATION}")
MAXIMUM = seconds("SoundboxMQTT/Retry.swift", rf"maximum: Duration = \.{_DURATION}")
KEEP_ALIVE = int(seconds("SoundboxYAML/BrokerSettings+YAML.swift", rf'"keep_alive".*\?\? \.{_DURATION}'))


class Reconnection:
    """The waits of one box."""

    def __init__(self) -> None:
        self._ceiling = INITIAL

    def after_loss(self) -> float:
        """The connection had proved itself, and has ended."""
        self._ceiling = min(INITIAL * 2, MAXIMUM)
        return WINDOW * random.random()

    def after_failure(self) -> float:
        """An attempt has failed: the broker is away, and its machine refuses."""
        if self._ceiling < WINDOW * 2:
            self._ceiling = min(WINDOW * 2, max(MAXIMUM, WINDOW))
        delay = self._ceiling / 2 + self._ceiling / 2 * random.random()
        self._ceiling = min(self._ceiling * 2, MAXIMUM)
        return delay


def by_the_rule(count: int, down: float) -> tuple[int, int, float]:
    """What the rule alone makes of boxes that lose a broker for so many seconds: the connections and the attempts of the
    worst second, and when the last box is back, after the broker."""
    accepted: collections.Counter[int] = collections.Counter()
    attempts: collections.Counter[int] = collections.Counter()
    last = 0.0
    for _ in range(count):
        reconnection = Reconnection()
        moment = reconnection.after_loss()
        while moment < down:
            attempts[int(moment * 10)] += 1
            moment += reconnection.after_failure()
        attempts[int(moment * 10)] += 1
        accepted[int(moment * 10)] += 1
        last = max(last, moment - down)
    return worst_second(accepted), worst_second(attempts), last


def worst_second(tenths: collections.Counter[int]) -> int:
    """The most in ten tenths of a second in a row."""
    return max(sum(tenths[first + place] for place in range(10)) for first in list(tenths))
