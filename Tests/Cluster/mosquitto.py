"""A mosquitto as provisioning/broker has it, for ten thousand boxes on this machine, without TLS and passwords."""
import os
import signal

from stage import ROOT, Failure, Program, Stage, wait_for

PORT = 1883


class Broker:
    def __init__(self, stage: Stage, name: str, address: str = "127.0.0.1") -> None:
        self._stage, self.folder = stage, stage.path(name)
        os.makedirs(self.folder)
        with open(f"{ROOT}/provisioning/broker/mosquitto.conf", encoding="utf-8") as file:
            example = [line.split("#")[0].strip() for line in file]
        kept = ("set_tcp", "persistence ", "autosave", "max_", "persistent_client", "message_size")
        self._configuration = stage.write(
            f"{name}.conf", "\n".join(
                [f"listener {PORT} {address}", "allow_anonymous true", f"persistence_location {self.folder}/",
                 "user root", "log_type error", "log_type notice", *(line for line in example if line.startswith(kept))]) + "\n")
        self._log = f"{name}-broker.log"
        self.program: Program

    async def start(self) -> None:
        self.program = self._stage.start(["/usr/sbin/mosquitto", "-c", self._configuration], self._log)
        await wait_for(lambda: listens() or self.program.has_ended, "mosquitto listens", 60)
        if self.program.has_ended:
            raise Failure(f"mosquitto has ended: {self.program.text()[-500:]}")

    async def stop(self) -> None:
        await self.program.end(signal.SIGTERM, 60)

    async def kill(self) -> None:
        await self.program.end(signal.SIGKILL)

    async def save(self) -> int:
        """Writes the store; returns its bytes."""
        path = f"{self.folder}/mosquitto.db"
        before = os.stat(path).st_mtime_ns if os.path.exists(path) else 0
        self.program.send(signal.SIGUSR1)
        await wait_for(lambda: os.path.exists(path) and os.stat(path).st_mtime_ns != before, "the store is written", 60)
        return os.stat(path).st_size


def listens() -> bool:
    with open("/proc/net/tcp", encoding="ascii") as file:
        return any(f":{PORT:04X} 00000000:0000 0A" in line for line in file)
