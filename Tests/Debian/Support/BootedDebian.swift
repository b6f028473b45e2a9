import Foundation
import Synchronization
import TestSupport

/// A computer with Debian on it: this tree's packages, installed by apt, as services of a systemd that was booted under
/// QEMU's software emulation.
///
/// It has a disk that outlives a power cut, a broker of its own, and no network. What stands for hardware are modules of
/// its kernel: snd-aloop or snd-dummy for a sound card, gpio-sim for a GPIO chip. Not for use by two tasks at once.
final class BootedDebian: Sendable {
    /// What the computer knows of the time when its power comes on.
    enum Clock: Sendable {
        /// A clock with a battery that is right.
        case right
        /// A clock with a battery that shows this, as in `2085-01-01T00:00:00` (UTC).
        case shows(String)
        /// None, like a Raspberry Pi: the kernel begins in 1970, and systemd goes on from its own release or from the time
        /// at which timesyncd last touched `/var/lib/systemd/timesync/clock`, whichever is later.
        case none
    }

    private struct Machine {
        var emulator: ChildProcess
        var agent: AgentConnection
    }

    /// The Debian that ``OnBootedDebian`` has booted for the tests of a suite.
    @TaskLocal static var current: BootedDebian?

    private let disks: [DebianDisk]
    private let folder: TemporaryFolder
    /// `nil` while the power is off.
    private let machine = Mutex<Machine?>(nil)

    /// With the power off.
    /// - Parameter disks: further ones, `/dev/vdb` and so on; `/dev/vda` is its own.
    init(disks: [DebianDisk] = []) async throws {
        self.disks = [try await DebianDisk.installed()] + disks
        folder = try TemporaryFolder()
    }

    deinit { machine.withLock { $0 }?.emulator.kill9() }

    /// Turns the power on and returns when systemd has started what there is to start.
    func boot(clock: Clock = .right) async throws {
        let image = try await DebianImage.current()
        let socket = folder.file("agent.sock")
        // No -icount, as the virtual board has it: all processors would share one thread of this machine, and a whole
        // systemd is slow enough. So tests wait for states, for minutes if need be, and never measure time.
        var arguments = [
            DebianImage.emulator, "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024",
            "-display", "none", "-no-reboot", "-nodefaults", "-serial", "stdio", "-net", "none",
            "-kernel", image.kernel, "-initrd", image.initialRAMDisk,
            "-device", "virtio-serial-pci", "-chardev", "socket,id=agent,path=\(socket),server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent",
        ]
        // The time stamp counter is calibrated wrongly now and then when this machine is busy; time would then run too fast.
        var kernel = "console=ttyS0 quiet tsc=unstable clocksource=hpet no_timer_check mitigations=off nokaslr panic=-1"
        switch clock {
        case .right: arguments += ["-rtc", "base=utc"]
        case .shows(let time): arguments += ["-rtc", "base=\(time)"]
        case .none:
            // The kernel reads the clock before there are drivers, so it must show what a kernel without one begins with.
            arguments += ["-rtc", "base=1970-01-01T00:00:00"]
            kernel += " initcall_blacklist=cmos_init"
        }
        arguments += ["-append", kernel]
        for disk in disks {
            // Nothing the guest has flushed may linger in this machine's memory, nor anything else be on its disk.
            arguments += ["-drive", "if=virtio,format=raw,cache=none,file=\(disk.path)"]
        }
        let emulator = try ChildProcess(arguments)
        do {
            let agent = try await AgentConnection(socket: socket)
            machine.withLock { $0 = Machine(emulator: emulator, agent: agent) }
        } catch {
            emulator.kill9()
            _ = try await emulator.exitStatus()
            let console = try await emulator.output.all() + emulator.errors.all()
            throw TestFailure("Debian does not boot: \(error); \(console.suffix(20).joined(separator: "\n"))")
        }
        // Not `running` when a unit has failed, which is for the test to judge.
        try await run("systemctl is-system-running --wait || true")
    }

    /// Runs a command of one line in root's shell; `Guest/agent.sh` has functions for it.
    /// - Returns: the lines it printed.
    /// - Throws: ``TestFailure`` when it fails.
    @discardableResult
    func run(_ command: String) async throws -> [String] {
        guard let agent = machine.withLock({ $0?.agent }) else { throw TestFailure("the power is off: \(command)") }
        let (output, code) = try await agent.run(command)
        guard code == 0 else {
            throw TestFailure("in Debian, `\(command)` ended with \(code): \(output.joined(separator: "\n"))")
        }
        return output
    }

    /// Takes the power away: whatever was only in memory is gone.
    func cutPower() async throws {
        let emulator = try off().emulator
        emulator.kill9()
        _ = try await emulator.exitStatus()
    }

    /// Shuts it down in good order and returns when the power is off.
    func powerOff() async throws {
        // The agent may be ended before it has answered.
        do { try await run("systemctl poweroff --no-block") } catch is JournalEnded {}
        _ = try await off().emulator.exitStatus()
    }

    /// Shuts it down in good order and boots it again.
    func reboot(clock: Clock = .right) async throws {
        try await powerOff()
        try await boot(clock: clock)
    }

    private func off() throws -> Machine {
        try machine.withLock { machine in
            defer { machine = nil }
            guard let machine else { throw TestFailure("the power is off already") }
            return machine
        }
    }
}
