import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import Subprocess

/// Speaks words and phrases with a voice's synthesiser, which runs as a separate process.
public struct Synthesizer: Sendable {
    /// What is to be spoken.
    struct Phrase: Sendable {
        /// The recording that it is for, named in errors; the name of a file without its ending.
        let file: String
        /// In the spelling that the voice takes: `yi4bai3` for `cmn-latn-pinyin`.
        let say: String
        /// In relation to the voice's speed.
        var pace = 1.0
    }

    private let settings: SynthesisSettings

    public init(_ settings: SynthesisSettings) {
        self.settings = settings
    }

    /// Makes sure that the program is there and has the voice: espeak-ng silently speaks another language when it does
    /// not know the voice it is asked for. Kokoro installs what it needs here, which takes minutes the first time.
    ///
    /// - Parameter list: the file that names the voice, for errors.
    public func checkVoice(namedIn list: String) async throws(RecordingError) {
        switch settings.program {
        case .espeakNG:
            // A variant such as `+f3` is a file of its own that this list does not hold.
            let wanted = settings.voice.prefix { $0 != "+" }.lowercased()
            let voices = try await run("espeak-ng", ["--voices"], for: list)
            let names = voices.lowercased().split(whereSeparator: { $0.isWhitespace || $0 == "(" || $0 == ")" })
            guard names.contains(wanted[...]) else {
                throw .synthesisFailed(
                    file: list,
                    reason: "espeak-ng has no voice \"\(settings.voice)\"; `espeak-ng --voices` lists them")
            }
        case .kokoro(let phonemes, _):
            _ = try await run("bash", [try Self.kokoro(for: list), "check", settings.voice, phonemes], for: list)
        }
    }

    /// Speaks phrases into a folder, as they come: with their silence, at the program's rate and level.
    ///
    /// The same text gives the same samples every time with one version of the program.
    /// - Parameters:
    ///   - folder: where `<file>.wav` is left for each. ``recording(of:in:)`` reads it.
    ///   - spoke: called with each `file` as soon as it is there.
    func speak(
        _ phrases: [Phrase], into folder: String, spoke: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(RecordingError) {
        switch settings.program {
        case .espeakNG(let speed, let pitch):
            for phrase in phrases {
                let wav = "\(folder)/\(phrase.file).wav"
                // What the program left there before must never pass for this text.
                unlink(wav)
                let words = max(80, min(450, Int((Double(speed) * phrase.pace).rounded())))
                _ = try await run(
                    "espeak-ng",
                    ["-v", settings.voice, "-s", "\(words)", "-p", "\(pitch)", "-w", wav, "--", phrase.say],
                    for: phrase.file)
                spoke(phrase.file)
            }
        case .kokoro(let phonemes, let speed):
            guard let first = phrases.first else { return }
            let lines = phrases.map { phrase in
                JSONValue.object([
                    ("file", .string(phrase.file)), ("say", .string(phrase.say)),
                    ("speed", .number("\(speed * phrase.pace)")),
                ]).text
            }
            let list = "\(folder)/phrases"
            do {
                try SmallFile.replace(list, with: lines.map { "\($0)\n" }.joined(), mode: nil, owner: nil)
            } catch {
                throw .unwritable(file: list, reason: "\(error)")
            }
            let arguments = [
                try Self.kokoro(for: first.file), "phrases", settings.voice, phonemes, list, folder,
            ]
            try await run("bash", arguments, for: first.file, line: spoke)
            for phrase in phrases where access("\(folder)/\(phrase.file).wav", R_OK) != 0 {
                throw .synthesisFailed(file: phrase.file, reason: "kokoro left it out")
            }
        }
    }

    /// What ``speak(_:into:spoke:)`` made of one phrase.
    func recording(of file: String, in folder: String) throws(RecordingError) -> Recording {
        do {
            let spoken = try AudioFile(reading: "\(folder)/\(file).wav", limit: .seconds(60)).recording
            return Recording(name: file, sampleRate: spoken.sampleRate, samples: spoken.samples)
        } catch {
            throw .synthesisFailed(file: file, reason: "what \(settings.program.name) left: \(error.reason)")
        }
    }

    /// One text, spoken.
    public func speak(_ text: String, for file: String) async throws(RecordingError) -> Recording {
        let scratch = try TemporaryFolder()
        try await speak([Phrase(file: "spoken", say: text)], into: scratch.path)
        let spoken = try recording(of: "spoken", in: scratch.path)
        return Recording(name: file, sampleRate: spoken.sampleRate, samples: spoken.samples)
    }

    /// The program that speaks with Kokoro is part of the source tree: a box has no use for it.
    private static func kokoro(for file: String) throws(RecordingError) -> String {
        let path = getenv("SOUNDBOX_KOKORO").map { String(cString: $0) } ?? "provisioning/voices/kokoro/speak"
        guard access(path, R_OK) == 0 else {
            throw .synthesisFailed(
                file: file,
                reason: """
                    there is no \(path); run this in the source tree, or say in SOUNDBOX_KOKORO where its \
                    provisioning/voices/kokoro/speak lies
                    """)
        }
        return path
    }

    /// - Returns: what the program printed.
    private func run(_ program: String, _ arguments: [String], for file: String) async throws(RecordingError) -> String
    {
        try await translating(program, file) {
            let result = try await Subprocess.run(
                .name(program), arguments: Arguments(arguments), output: .string(limit: 1 << 20),
                error: .string(limit: 1 << 16))
            try Self.check(result.terminationStatus, result.standardError, program, file)
            return result.standardOutput
        }
    }

    /// - Parameter line: called with each line that the program prints.
    private func run(
        _ program: String, _ arguments: [String], for file: String, line: @escaping @Sendable (String) -> Void
    ) async throws(RecordingError) {
        try await translating(program, file) {
            let result = try await Subprocess.run(
                .name(program), arguments: Arguments(arguments), input: .none, output: .sequence,
                error: .string(limit: 1 << 16)
            ) { execution in
                for try await text in execution.standardOutput.strings() {
                    line(String(text.drop { $0.isNewline }.prefix { !$0.isNewline }))
                }
            }
            try Self.check(result.terminationStatus, result.standardError, program, file)
        }
    }

    private static func check(
        _ status: TerminationStatus, _ complaint: String, _ program: String, _ file: String
    ) throws(RecordingError) {
        guard !status.isSuccess else { return }
        // Python's last line says what went wrong, espeak-ng's only one.
        let reason = complaint.split(separator: "\n").last.map { ": \($0)" } ?? ""
        throw .synthesisFailed(file: file, reason: "\(program) ended with \(status)\(reason)")
    }

    private func translating<Result>(
        _ program: String, _ file: String, _ body: () async throws -> Result
    ) async throws(RecordingError) -> Result {
        do {
            return try await body()
        } catch let error as RecordingError {
            throw error
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw .synthesisFailed(file: file, reason: "there is no \(program); install the package \(program)")
        } catch {
            throw .synthesisFailed(file: file, reason: "\(program) does not run: \(error)")
        }
    }
}
