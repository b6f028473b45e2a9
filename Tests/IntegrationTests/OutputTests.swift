import Foundation
import SoundboxCore
import TestSupport
import Testing

/// What becomes of a command whose answer, or whose file, cannot be written.
@Suite("Output that cannot be written", .timeLimit(.minutes(15)))
struct OutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `$SOUNDBOX` or `$VOICETOOLS` in a shell, where redirections and limits can be had.
    private func shell(_ script: String) async throws -> CommandResult {
        let child = try ChildProcess(
            ["sh", "-c", script],
            environment: [
                "SOUNDBOX": Products.soundbox, "VOICETOOLS": Products.voicetools, "SOUNDS": Products.sounds,
                "DIR": folder.path,
            ])
        let status = try await child.exitStatus()
        return CommandResult(
            code: status >> 8, output: try await child.output.all(), errors: try await child.errors.all())
    }

    @Test(
        "A full disk behind standard output is told in one line, with exit code 1",
        arguments: [
            "say 1 --sounds $SOUNDS", "say 1 --print json --sounds $SOUNDS", "voice list --sounds $SOUNDS",
            "voice list --json --sounds $SOUNDS", "board list --boards board",
            "--help", "say --help", "--version", "setup show --config $DIR/soundbox.yaml",
        ])
    func fullDisk(command: String) async throws {
        try folder.write("merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://h\"}\n", to: "soundbox.yaml")
        let result = try await shell("cd \(Products.project); exec $SOUNDBOX \(command) >/dev/full")
        #expect(result.code == 1)
        #expect(result.errors == ["soundbox: standard output cannot be written: No space left on device"])
    }

    @Test("The voice author's program tells it under its own name")
    func fullDiskOfAuthor() async throws {
        let result = try await shell("exec $VOICETOOLS script zh-CN --sounds $SOUNDS >/dev/full")
        #expect(result.code == 1)
        #expect(result.errors == ["soundbox-voicetools: standard output cannot be written: No space left on device"])
    }

    @Test("A command keeps its own exit code and says both what is wrong and that its answer is lost")
    func bothFail() async throws {
        let result = try await shell("exec $SOUNDBOX doctor --config $DIR/none.yaml >/dev/full")
        #expect(result.code == 1)
        #expect(result.errors == ["soundbox: standard output cannot be written: No space left on device"])
    }

    @Test("Endless input is not read for an output that is lost")
    func endlessInput() async throws {
        let result = try await shell("yes 1 | $SOUNDBOX say --sounds $SOUNDS >/dev/full")
        #expect(result.code == 1)
    }

    @Test("Without a standard output the answer goes into no file that the command opens")
    func closedOutput() async throws {
        let result = try await shell("exec $SOUNDBOX say 1 --print reading -o $DIR/x.wav --sounds $SOUNDS >&-")
        #expect(result.code == 1)
        #expect(result.errors == ["soundbox: standard output cannot be written: Bad file descriptor"])
        let wav = try Data(contentsOf: URL(fileURLWithPath: folder.file("x.wav")))
        #expect(wav.prefix(4) == Data("RIFF".utf8))
    }

    @Test("A reader that has closed the pipe is no failure, and is told nothing more")
    func closedPipe() async throws {
        let result = try await shell(
            """
            trap '' PIPE; mkfifo $DIR/pipe; exec 3<>$DIR/pipe; exec 4>$DIR/pipe; exec 3<&-
            exec $SOUNDBOX voice list --sounds $SOUNDS >&4
            """)
        #expect(result == CommandResult(code: 0, output: [], errors: []))
    }

    @Test(
        "A file that cannot be written is told by its name in one line, with exit code 1, and nothing half is left",
        arguments: [
            ("$SOUNDBOX say 1 -o $DIR/x.wav --sounds $SOUNDS", "x.wav"),
            ("$SOUNDBOX say 1 -o /dev/full --sounds $SOUNDS", "/dev/full"),
            ("$VOICETOOLS render 1 --voice zh-CN -o $DIR --sounds $SOUNDS", "zh-CN.wav"),
            ("$VOICETOOLS compare 1 --voice zh-CN -o $DIR/x.html --sounds $SOUNDS", "x.html"),
            ("$SOUNDBOX doctor --config $DIR/soundbox.yaml --bundle $DIR/x.tar", "x.tar"),
            ("$SOUNDBOX setup export $DIR/x.yaml --config $DIR/soundbox.yaml", "x.yaml"),
        ])
    func fullDiskBehindFile(command: String, name: String) async throws {
        let settings = "merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://127.0.0.1:1\"}\n"
        try folder.write(settings + "audio: {device: \"null\"}\n", to: "soundbox.yaml")
        // A file of more than nothing is refused with EFBIG, as a full disk refuses it with ENOSPC.
        let result = try await shell("trap '' XFSZ; ulimit -f 0; exec \(command)")
        #expect(result.code == 1)
        #expect(result.errors.count == 1)
        #expect(result.errors.first?.contains(name) == true, "\(result.errors)")
        #expect(result.errors.first?.contains("not a sound file") == false, "\(result.errors)")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasPrefix("x.") {
            #expect(file == "x.wav")
        }
    }

    @Test(
        "Setup names an option as it is typed",
        arguments: [
            ("--merchant-id", "a/b"), ("--device-id", "a/b"), ("--broker", "nowhere"), ("--ca-file", "/nonexistent"),
            ("--cert-file", "/nonexistent"), ("--key-file", "/nonexistent"), ("--voice", "tlh"), ("--currency", "RMB"),
            ("--board", "none-such"), ("--volume", "101"),
        ])
    func optionNames(option: String, value: String) async throws {
        let result = try await soundbox(
            "setup", "--yes", "--skip-checks", "--skip-sound", "--config", folder.file("new.yaml"), option, value)
        #expect(result.code == 64)
        #expect(result.errors.count == 1 && result.errors[0].hasPrefix("soundbox: \(option): "), "\(result.errors)")
    }

    @Test(
        "A doctor whose reader has gone says nothing of the broker",
        // 128 and SIGPIPE, as of any program in a shell; where that signal is ignored, the doctor's own result.
        arguments: [("", "141"), ("trap '' PIPE;", "1")])
    func doctorWithoutReader(trap: String, code: String) async throws {
        try folder.write("merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://127.0.0.1:1\"}\n", to: "soundbox.yaml")
        let result = try await shell(
            """
            \(trap) mkfifo $DIR/pipe; exec 3<>$DIR/pipe; exec 4>$DIR/pipe; exec 3<&-
            $SOUNDBOX doctor --config $DIR/soundbox.yaml >&4; echo $?
            """)
        #expect(result == CommandResult(code: 0, output: [code], errors: []))
    }

    @Test("The doctor shows on a terminal that it is at work, and its report takes the place of that line")
    func doctorAtWork() async throws {
        let session = try TerminalSession([Products.soundbox, "doctor", "--config", folder.file("none.yaml")])
        try await session.shown("Looking at everything")
        try await session.shown("\r\u{1B}[K")
        try await session.shown("this box is not set up")
        #expect(try await session.exitStatus() >> 8 == 1)
    }

    @Test("What a receipt or an error quotes does not drive the terminal")
    func terminal() async throws {
        let result = try await soundbox(
            "say", "1", "--voice", "x\u{1B}[2J\u{9B}2J\u{202E}", "--sounds", Products.sounds)
        #expect(result.code == 1)
        #expect(!result.errors.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(result.errors.first?.contains(#"\u{1b}[2J\u{9b}2J\u{202e}"#) == true)
    }
}
