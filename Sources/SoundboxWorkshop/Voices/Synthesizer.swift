import Glibc
import SoundboxVoice
import Subprocess

/// Speaks single words and phrases with espeak-ng, which runs as a separate process.
public struct Synthesizer: Sendable {
    private let settings: SynthesisSettings

    public init(_ settings: SynthesisSettings) {
        self.settings = settings
    }

    /// Makes sure that the program is there and has the voice: espeak-ng silently speaks another language when it does
    /// not know the voice it is asked for.
    ///
    /// - Parameter list: the file that names the voice, for errors.
    public func checkVoice(namedIn list: String) async throws(RecordingError) {
        // A variant such as `+f3` is a file of its own that this list does not hold.
        let wanted = settings.voice.prefix { $0 != "+" }.lowercased()
        let voices = try await run(["--voices"], for: list)
        let names = voices.lowercased().split(whereSeparator: { $0.isWhitespace || $0 == "(" || $0 == ")" })
        guard names.contains(wanted[...]) else {
            let program = settings.program.rawValue
            throw .synthesisFailed(
                file: list, reason: "\(program) has no voice \"\(settings.voice)\"; `\(program) --voices` lists them")
        }
    }

    /// What the synthesiser makes of `text`, as it comes: with its silence, at its own rate and level.
    ///
    /// The same text gives the same samples every time with one version of the program.
    /// - Parameters:
    ///   - text: in the spelling that the voice takes: `yi4bai3` for `cmn-latn-pinyin`.
    ///   - file: the recording that it is for, named in errors.
    ///   - scratch: where the program may leave a WAV file; it is overwritten.
    public func speak(_ text: String, for file: String, scratch: String) async throws(RecordingError) -> Recording {
        // What the program left there before must never pass for this text.
        unlink(scratch)
        let arguments: [String] =
            switch settings.program {
            case .espeakNG:
                ["-v", settings.voice, "-s", "\(settings.speed)", "-p", "\(settings.pitch)", "-w", scratch, "--", text]
            }
        _ = try await run(arguments, for: file)
        do {
            let spoken = try AudioFile(reading: scratch, limit: .seconds(60)).recording
            return Recording(name: file, sampleRate: spoken.sampleRate, samples: spoken.samples)
        } catch {
            throw .synthesisFailed(file: file, reason: "what \(settings.program.rawValue) left: \(error.reason)")
        }
    }

    /// - Returns: what the program printed.
    private func run(_ arguments: [String], for file: String) async throws(RecordingError) -> String {
        let program = settings.program.rawValue
        do {
            let result = try await Subprocess.run(
                .name(program), arguments: Arguments(arguments), output: .string(limit: 1 << 20),
                error: .string(limit: 1 << 16))
            guard result.terminationStatus.isSuccess else {
                let complaint = result.standardError.split(separator: "\n").first.map { ": \($0)" } ?? ""
                throw RecordingError.synthesisFailed(
                    file: file, reason: "\(program) ended with \(result.terminationStatus)\(complaint)")
            }
            return result.standardOutput
        } catch let error as RecordingError {
            throw error
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw .synthesisFailed(file: file, reason: "there is no \(program); install the package \(program)")
        } catch {
            throw .synthesisFailed(file: file, reason: "\(program) does not run: \(error)")
        }
    }
}
