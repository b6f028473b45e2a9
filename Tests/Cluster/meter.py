"""What programs take of a processor over a longer time, while they are killed and started."""
import asyncio
import time
from collections.abc import Callable

from stage import Program


class Meter:
    """Looks each second: what a program took in the second before it was killed is not counted."""

    def __init__(self, parts: dict[str, Callable[[], list[Program]]]) -> None:
        """`parts`: the programs that each consists of now."""
        self._parts = parts
        self._taken = dict.fromkeys(parts, 0.0)
        self._last: dict[int, float] = {}
        self._look()
        self._taken = dict.fromkeys(parts, 0.0)
        self._begun = time.monotonic()
        self._task = asyncio.create_task(self._watch())

    def stop(self) -> dict[str, float]:
        """By part, of one processor."""
        self._task.cancel()
        self._look()
        passed = time.monotonic() - self._begun
        return {part: seconds / passed for part, seconds in self._taken.items()}

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(1)
            self._look()

    def _look(self) -> None:
        for part, programs in self._parts.items():
            for program in programs():
                seconds = program.processor_of_family
                self._taken[part] += max(0, seconds - self._last.get(program.pid, 0))
                self._last[program.pid] = seconds
