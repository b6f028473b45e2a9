import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import Subprocess

/// Speaks phrases with a voice's synthesiser, a separate process:
///
///     let synthesizer = Synthesizer(settings)
///     try await synthesizer.checkVoice(namedIn: "voice.yaml")
///     let recording = try await synthesizer.speak("received", for: "received")
public struct Synthesizer: Sendable {
    /// A text to speak.
    struct Phrase: Sendable {
        /// The name of the recording's file without its extension, also for errors.
        let file: String
        /// The text in the spelling of the voice: `yi4bai3` for `cmn-latn-pinyin`.
        let say: String
        /// A factor of the voice's speed.
        var pace = 1.0
    }

    private let settings: SynthesisSettings

    public init(_ settings: SynthesisSettings) {
        self.settings = settings
    }

    /// Checks that the program is installed and has the voice: espeak-ng silently speaks another language if it does
    /// not know the voice. Kokoro installs its dependencies here, which takes minutes the first time.
    ///
    /// - Parameter list: the file that names the voice, for errors.
    public func checkVoice(namedIn list: String) async throws(RecordingError) {
        switch settings.program {
        case .espeakNG:
            // A variant such as `+f3` is a separate file, which is not in this list.
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

    /// Speaks phrases into a folder, unprocessed: with silence, at the program's rate and level.
    ///
    /// One version of the program gives the same samples for the same text.
    /// - Parameters:
    ///   - folder: for one `<file>.wav` each. ``recording(of:in:)`` reads it.
    ///   - spoke: called with each `file` when it is complete.
    func speak(
        _ phrases: [Phrase], into folder: String, spoke: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(RecordingError) {
        switch settings.program {
        case .espeakNG(let speed, let pitch):
            for phrase in phrases {
                let wav = "\(folder)/\(phrase.file).wav"
                // An older file must not be taken for this text.
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

    /// Reads the result of ``speak(_:into:spoke:)`` for one phrase.
    func recording(of file: String, in folder: String) throws(RecordingError) -> Recording {
        do {
            let spoken = try AudioFile(reading: "\(folder)/\(file).wav", limit: .seconds(60)).recording
            return Recording(name: file, sampleRate: spoken.sampleRate, samples: spoken.samples)
        } catch {
            throw .synthesisFailed(file: file, reason: "what \(settings.program.name) left: \(error.reason)")
        }
    }

    /// Speaks one text.
    public func speak(_ text: String, for file: String) async throws(RecordingError) -> Recording {
        let scratch = try TemporaryFolder()
        try await speak([Phrase(file: "spoken", say: text)], into: scratch.path)
        let spoken = try recording(of: "spoken", in: scratch.path)
        return Recording(name: file, sampleRate: spoken.sampleRate, samples: spoken.samples)
    }

    /// The program for Kokoro is in the source tree, because a box does not need it.
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

    /// - Returns: the program's output.
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
        // Python prints the error in its last line, espeak-ng in its only one.
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
