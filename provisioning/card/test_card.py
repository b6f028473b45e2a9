#!/usr/bin/env python3
"""Boots the image of a card under emulation as a shop would: the provisioning file on the first partition, a broker in
the network, a sound card with a speaker; then on a Raspberry Pi 3 with its own pin controller. About ten minutes on two
idle cores.

usage: test_card.py TOOLS IMAGE.img.zst BOOT     as root; BOOT is what make-card.sh writes with CARD_BOOT=yes
"""
import array
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import wave

HERE = os.path.dirname(os.path.realpath(__file__))
TOOLS, IMAGE, BOOT = map(os.path.realpath, sys.argv[1:4])
CACHE = os.path.dirname(TOOLS)
WORK = f"{CACHE}/card-test"
# Where the first partition begins in the image.
FAT = f"{WORK}/card.img@@4M"
CARD = "usb-audio,audiodev=sound"
PROVISIONING = """merchant_id: M1001
device_id: box-01
broker: {{url: "mqtt://10.0.2.2:{port}"}}
board: raspberry-pi
wifi: {{ssid: Shop, password: password, country: CN}}
system: {{ssh_key: "{key}", time_zone: Asia/Shanghai}}
...
"""


def step(text):
    print(f"\n\033[1m{text}\033[0m", flush=True)


def fail(text):
    with open(f"{WORK}/console.log", errors="replace") as log:
        print("".join(log.readlines()[-30:]), file=sys.stderr)
    sys.exit(f"FAILED: {text}")


def inside(*command, **options):
    """A command in the Debian 13 with the tools, where the cache is /cache."""
    command = [part.replace(CACHE, "/cache") for part in command]
    return subprocess.run([f"{HERE}/inside.sh", TOOLS, *command], capture_output=True, text=True, **options)


def put_on_card(text, name):
    with open(f"{WORK}/{name}", "w") as file:
        file.write(text)
    done = inside("mcopy", "-o", "-i", FAT, f"{WORK}/{name}", f"::soundbox/{name}")
    if done.returncode:
        fail(f"mcopy: {done.stderr}")


def on_card(name):
    """What a file of the first partition says; None when there is none."""
    done = inside("mtype", "-i", FAT, f"::soundbox/{name}")
    return done.stdout if done.returncode == 0 else None


class Broker:
    def __init__(self):
        self.port = free_port()
        with open(f"{WORK}/mosquitto.conf", "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self.process = subprocess.Popen(["mosquitto", "-c", f"{WORK}/mosquitto.conf"], stderr=subprocess.DEVNULL)
        self.log = open(f"{WORK}/topics.log", "w+")
        time.sleep(1)
        self.listener = subprocess.Popen(
            ["mosquitto_sub", "-p", str(self.port), "-q", "1", "-t", "soundbox/v1/M1001/box-01/#", "-F", "%t %p"], stdout=self.log)

    def messages(self, topic):
        with open(f"{WORK}/topics.log") as log:
            lines = [line.split(" ", 1) for line in log if " " in line]
        return [json.loads(text) for name, text in lines if name.endswith(f"/{topic}") and text.strip()]

    def pay(self, identifier, amount):
        text = json.dumps({"id": identifier, "amount": amount, "channel": "alipay"})
        subprocess.run(
            ["mosquitto_pub", "-p", str(self.port), "-q", "1", "-t", "soundbox/v1/M1001/box-01/payments", "-m", text], check=True)

    def close(self):
        for process in (self.listener, self.process):
            process.terminate()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Machine:
    """QEMU's virt, or its Raspberry Pi 3: a network, and a USB sound card whose sound goes into a WAV file."""

    def __init__(self, name, is_pi=False, holds_card=False):
        self.sound = f"{WORK}/{name}.wav"
        self.ssh_port = free_port()
        self.typed = 0
        self.began = time.monotonic()
        self.monitor = f"{WORK}/monitor"
        kernel, ram_disk, tree = (
            shutil.copy(sorted(glob.glob(f"{BOOT}/{part}"))[-1], WORK)
            for part in ("vmlinuz-*", "initrd.img-*", "bcm2837-rpi-3-b.dtb"))
        network = f"user,id=net,hostfwd=tcp:127.0.0.1:{self.ssh_port}-:22"
        audio = ["-audiodev", f"wav,id=sound,path={self.sound}"]
        if not holds_card:
            audio += ["-device", CARD]
        if is_pi:
            # QEMU's USB network finds no carrier there, so the shell is on the serial line.
            console = "ttyS1 systemd.debug_shell=ttyS1 systemd.mask=serial-getty@ttyS1.service"
            parts = [
                "-M", "raspi3b", "-dtb", tree, "-drive", f"if=sd,format=raw,file={WORK}/card.img",
                "-serial", "null", "-serial", "stdio",
            ]
        else:
            console = "ttyAMA0"
            parts = [
                "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024", "-device", "virtio-rng-pci",
                "-drive", f"if=none,id=card,format=raw,file={WORK}/card.img", "-device", "virtio-blk-pci,drive=card",
                "-netdev", network, "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "qemu-xhci", *audio,
                "-serial", "stdio",
            ]
        command = [
            "qemu-system-aarch64", *parts, "-kernel", kernel, "-initrd", ram_disk,
            # The emulator's watchdog would end a slow boot.
            "-append", f"console={console} root=LABEL=RASPIROOT rw rootwait net.ifnames=0 systemd.watchdog_sec=0",
            "-display", "none", "-monitor", f"unix:{self.monitor},server=on,wait=off", "-no-reboot",
        ]
        command = [part.replace(CACHE, "/cache") for part in command]
        self.process = subprocess.Popen(
            [f"{HERE}/inside.sh", TOOLS, *command], stdin=subprocess.PIPE,
            stdout=open(f"{WORK}/console.log", "w"), stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def age(self):
        return time.monotonic() - self.began

    @property
    def console(self):
        with open(f"{WORK}/console.log", errors="replace") as log:
            return log.read()

    def wait(self, what, condition, seconds):
        """Waits for a condition. The limit counts from the machine's last line on its console, so that a slow host, on
        which a boot takes much longer, does not fail it."""
        seen, moved = 0, time.monotonic()
        while not (value := condition()):
            if self.process.poll() is not None:
                fail(f"the machine ended before {what}")
            if (count := os.path.getsize(f"{WORK}/console.log")) > seen:
                seen, moved = count, time.monotonic()
            if time.monotonic() - moved > seconds:
                fail(f"{what}: not within {seconds} s of the machine's last line")
            time.sleep(0.5)
        print(f"{self.age:6.1f} s  {what}", flush=True)
        return value

    def run(self, command):
        """What a command says, as root, by SSH with the provisioning file's key; None while nobody answers."""
        done = subprocess.run(
            ["ssh", "-q", "-i", f"{WORK}/key", "-p", str(self.ssh_port), "-o", "StrictHostKeyChecking=no",
             "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
             "root@127.0.0.1", command], capture_output=True, text=True)
        return None if done.returncode == 255 else done.stdout.strip()

    def type(self, command):
        """What a command says in the shell on the serial line; None before there is one."""
        self.typed += 1
        # The shell's echo of the line has the quotes.
        self.process.stdin.write(f"{command}; echo END''{self.typed}.\n".encode())
        self.process.stdin.flush()
        for _ in range(60):
            with open(f"{WORK}/console.log", errors="replace") as log:
                lines = log.read()
            if f"END{self.typed}." in lines:
                return lines.rsplit(f"END''{self.typed}.", 1)[-1].split(f"END{self.typed}.")[0]
            time.sleep(1)
        return None

    def plug_card(self):
        """Plugs in the USB sound card that was held back."""
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(self.monitor)
            monitor.sendall(f"device_add {CARD}\n".encode())
            monitor.settimeout(10)
            said = b""
            # The prompt before the command, and the one after it.
            while said.count(b"(qemu) ") < 2:
                if not (part := monitor.recv(4096)):
                    break
                said += part
        if b"Error" in said:
            fail(f"device_add: {said.decode(errors='replace')}")

    def cut_power(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def loud_seconds(path):
    """How much of a recording is louder than -40 dBFS. QEMU ends the file's header when it ends itself only."""
    # A card that nothing has played on may have none.
    if not os.path.exists(path):
        return 0
    with open(path, "rb") as file:
        data = file.read()[44:]
    samples = array.array("h", data[: len(data) // 4 * 4])[::2]
    return sum(1 for start in range(0, len(samples), 441) if max(map(abs, samples[start:start + 441]), default=0) > 327) / 100


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    shutil.copy(IMAGE, f"{WORK}/card.img.zst")
    if inside("zstd", "-q", "-d", f"{WORK}/card.img.zst", "-o", f"{WORK}/card.img").returncode:
        fail("the image cannot be unpacked")
    os.truncate(f"{WORK}/card.img", 2 << 30)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{WORK}/key"], check=True)
    with open(f"{WORK}/key.pub") as file:
        key = file.read().strip()
    broker = Broker()
    machine = None
    try:
        text = PROVISIONING.format(port=broker.port, key=key)

        step("A mistake in the provisioning file")
        put_on_card(text.replace("merchant_id", "merchantid"), "provisioning.yaml")
        machine = Machine("mistake", holds_card=True)
        machine.wait("the mistake is on the card", lambda: on_card("soundbox-error.txt"), 300)
        machine.wait("the box runs", lambda: re.search(r"Started .*soundbox\.service", machine.console), 300)
        # A card whose driver or hub is slow comes long after the box.
        time.sleep(120)
        machine.plug_card()
        machine.wait("it is spoken when the card comes", lambda: loud_seconds(machine.sound) >= 1, 120)
        machine.cut_power()
        print(on_card("soundbox-error.txt"))
        if "merchantid" not in on_card("soundbox-error.txt"):
            fail("the error file does not name the mistake")

        step("From power on to the first payment")
        put_on_card(text, "provisioning.yaml")
        machine = Machine("first")
        machine.wait("the box is online", lambda: any(s["state"] == "online" for s in broker.messages("status")), 300)
        broker.pay("p-1", "123.45")

        def receipts(identifier):
            """Its states. After a power cut a receipt may be sent once more; it is the same by epoch and sequence."""
            different = {(r["epoch"], r["sequence"]): r["state"] for r in broker.messages("receipts") if r.get("id") == identifier}
            return list(different.values())

        machine.wait("the payment is announced", lambda: "announced" in receipts("p-1"), 400)
        status = [s for s in broker.messages("status") if s["state"] == "online"][-1]
        print(f"plays on {status['audio']}, faults {status['faults']}")
        if on_card("provisioning.yaml") is not None:
            fail("the file with the secrets is still on the card")

        step("The system around the box")
        machine.wait("SSH answers to the key", lambda: machine.run("true") is not None, 600)
        for command, expected in (
            ("date +%Z", "CST"),
            ("systemctl --failed --no-legend", ""),
            ("passwd --status root | cut -d ' ' -f 2", "L"),
            ("ls /etc/NetworkManager/system-connections", "soundbox-53686f70.nmconnection"),
            ("hostname", "soundbox"),
            ("stat -c %a:%U /etc/soundbox/authorized_keys", "640:root"),
            ("test $(df --output=size -m / | tail -1) -gt 1500 && echo grown", "grown"),
        ):
            if (said := machine.run(command)) != expected:
                fail(f"{command}: {said!r}, expected {expected!r}")

        step("The power is cut, and the payment comes again with another one")
        machine.cut_power()
        heard = loud_seconds(machine.sound)
        if heard < 3:
            fail(f"only {heard} s of sound were recorded")
        print(f"{heard:.1f} s of sound")
        broker.pay("p-1", "123.45")
        broker.pay("p-2", "8.00")
        machine = Machine("second")
        machine.wait("the other payment is announced", lambda: "announced" in receipts("p-2"), 400)
        if receipts("p-1").count("announced") != 1 or "duplicate" not in receipts("p-1"):
            fail(f"the first payment: {receipts('p-1')}")
        machine.cut_power()

        step("The same card in a Raspberry Pi 3")
        machine = Machine("pi", is_pi=True)
        machine.wait(
            "the box holds its lines", lambda: (machine.type("gpioinfo") or "").count('consumer="soundbox"') == 5, 900)
        machine.type("systemctl stop soundbox")
        checked = machine.type("soundbox board check raspberry-pi") or ""
        print(checked)
        if "LED: GPIO27: in order" not in checked or "vibration: GPIO24: in order" not in checked:
            fail("light and vibration")
        # Buttons read as pressed: the emulator's pins have no resistors.
        if any(f"GPIO{line}: " not in checked for line in (17, 22, 23)) or checked.count("it is low") != 3:
            fail("buttons")
        machine.cut_power()

        step("Everything as it should be")
    finally:
        if machine and machine.process.poll() is None:
            machine.cut_power()
        broker.close()


main()
