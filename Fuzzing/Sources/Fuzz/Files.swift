import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxSpeech
import SoundboxVoice
import SoundboxYAML

extension FuzzTarget {
    /// The text as each of the YAML files that there are: the configuration, a board, a voice, a mapping.
    static let yaml = FuzzTarget(name: "yaml") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        if case .failure(let error) = Result(catching: { () throws(YAMLError) in
            try Configuration(parsing: text, file: "soundbox.yaml")
        }) {
            check(error)
        }
        _ = try? BoardFile.parse(text, name: "board")
        _ = try? PaymentMapping(parsing: text, file: "mapping.yaml")
        scratch.write(bytes, to: "voice.yaml")
        _ = try? Voice(directory: scratch.path)
    }

    /// The rules by which a voice spells numbers. Rules that are found complete must spell.
    static let rules = FuzzTarget(name: "rules") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self), let rules = try? NumberRules(parsing: text) else {
            return
        }
        for set in rules.setNames {
            let isComplete = (try? rules.validate(set, withDecimals: true)) != nil
            for number in numbers {
                do throws(SpeechError) { _ = try rules.spell(number, with: set) } catch {
                    // Whether a reading grows beyond measure is not for the proof of completeness to say.
                    precondition(!isComplete || error.description.contains("endless length"))
                }
            }
        }
    }

    /// A sound file, as an author's recording is read.
    static let sound = FuzzTarget(name: "sound") { bytes in
        scratch.write(bytes, to: "sound")
        guard let file = try? AudioFile(reading: "\(scratch.path)/sound", limit: .seconds(10)) else { return }
        precondition(file.recording.samples.allSatisfy(\.isFinite))
        precondition(file.recording.duration <= .seconds(11))
    }

    private static let numbers = ["0", "1", "10", "21", "105", "1010", "100010000", "1000000000000000", "0.06", "12.5"]
        .compactMap { try? DecimalNumber($0) }

    /// A complaint names its file: this one, or the mapping that it asks for.
    private static func check(_ error: YAMLError) {
        precondition(error.file == "soundbox.yaml" || error.file.hasSuffix(".yaml"))
    }

    private static let scratch = ScratchFolder()
}

/// Files for parsers that want one, in memory. Removed by nobody: a process that crashes could not either, and
/// `make fuzz` removes the folder that it sets TMPDIR to.
private struct ScratchFolder: Sendable {
    let path: String

    init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(parent)/fuzz-\(getpid())"
        mkdir(path, 0o700)
    }

    func write(_ bytes: [UInt8], to name: String) {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }
}
