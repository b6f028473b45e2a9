import Foundation
import TestSupport
import Testing

/// A small computer with a GPIO chip, a sound card and perhaps a disk: a Linux kernel under QEMU's software emulation.
///
/// Its GPIO lines, ALSA and disk are the kernel's own, so what runs on it runs unchanged on a real board. `/host` in
/// there is ``folder`` out here. Not for use by two tasks at once.
///
/// Its clock counts its own instructions, two nanoseconds each: however busy this machine is, the board only takes
/// longer by this machine's clock, and never falls behind its own sound card.
final class VirtualBoard: Sendable {
    static let emulator = "qemu-system-x86_64"
    /// The address of this machine's loopback interface, as seen from the board (QEMU's user networking).
    static let hostAddress = "10.0.2.2"

    /// Lines of board/raspberry-pi.yaml.
    enum Line: Int, Sendable {
        /// Of the board file `amplified` that the tests make from it.
        case amplifier = 16
        case volumeUp = 17
        case volumeDown = 22
        case replay = 23
        case vibration = 24
        case led = 27
    }

    /// The board that ``OnVirtualBoard`` has booted for the tests of a suite.
    @TaskLocal static var current: VirtualBoard?

    let folder: TemporaryFolder
    /// Where boxes keep their state.
    let stateFolder: String
    private let emulator: ChildProcess
    private let agent: AgentConnection

    /// Boots and returns when the board takes commands.
    /// - Parameter disk: an image that becomes the folder of states; without one, that is in memory.
    init(folder: TemporaryFolder, disk: String? = nil) async throws {
        let image = try await GuestImage.current()
        self.folder = folder
        stateFolder = disk == nil ? "/run/state" : "/state"
        let socket = folder.file("agent.sock")
        // With -icount the board's clock counts its own instructions: a busy machine makes a test take longer, and the
        // board's sound card never runs dry for it. The time stamp counter is calibrated wrongly under emulation, hence
        // the HPET.
        var arguments = [
            Self.emulator, "-M", "q35", "-accel", "tcg,thread=single", "-icount", "shift=1,sleep=on", "-cpu", "max",
            "-smp", "1", "-m",
            "768",
            "-display", "none", "-no-reboot", "-nodefaults", "-serial", "stdio", "-kernel", image.kernel,
            "-initrd", image.initialRAMDisk, "-append",
            "console=ttyS0 quiet tsc=unstable clocksource=hpet no_timer_check mitigations=off nokaslr panic=-1 rdinit=/init",
            "-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile=",
            "-device", "virtio-serial-pci", "-chardev", "socket,id=agent,path=\(socket),server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent",
        ]
        for (tag, path, options) in [("root", image.root, ",readonly=on"), ("host", folder.path, "")] {
            arguments += [
                "-fsdev", "local,id=\(tag),path=\(path),security_model=none,multidevs=remap\(options)",
                "-device", "virtio-9p-pci,fsdev=\(tag),mount_tag=\(tag)",
            ]
        }
        if let disk {
            // Nothing the guest has flushed may linger in this machine's memory, nor anything else be on its disk.
            arguments += ["-drive", "if=virtio,format=raw,cache=none,file=\(disk)"]
        }
        emulator = try ChildProcess(arguments)
        do {
            agent = try await AgentConnection(socket: socket)
        } catch {
            emulator.kill9()
            _ = try await emulator.exitStatus()
            let console = try await emulator.output.all() + emulator.errors.all()
            throw TestFailure("the board does not boot: \(error); \(console.suffix(20).joined(separator: "\n"))")
        }
    }

    /// Runs a command of one line in the board's shell; `Guest/agent.sh` has functions for it.
    /// - Returns: the lines it printed.
    /// - Throws: ``TestFailure`` when it fails.
    @discardableResult
    func run(_ command: String) async throws -> [String] {
        let (output, code) = try await agent.run(command)
        guard code == 0 else {
            throw TestFailure("on the board, `\(command)` ended with \(code): \(output.joined(separator: "\n"))")
        }
        return output
    }

    /// Presses a button and lets it go, as the finger does: 100 ms unless told.
    func click(_ button: Line, seconds: Double = 0.1) async throws {
        try await run("click \(button.rawValue) \(seconds)")
    }

    /// Two presses in one command, so that what lies between them is the board's time alone.
    func doubleClick(_ button: Line) async throws {
        try await run("click \(button.rawValue); click \(button.rawValue)")
    }

    /// Waits until the board resets itself, which ends the emulator.
    func reset() async throws { _ = try await emulator.exitStatus() }

    /// Takes the power away: whatever was only in memory is gone.
    func cutPower() async throws {
        emulator.kill9()
        _ = try await emulator.exitStatus()
    }
}

/// Boots one board for all tests of a suite, which then run one after the other.
struct OnVirtualBoard: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        let board = try await VirtualBoard(folder: try TemporaryFolder())
        do {
            try await VirtualBoard.$current.withValue(board) { try await body() }
        } catch {
            try await board.cutPower()
            throw error
        }
        try await board.cutPower()
    }
}
