import ArgumentParser
import SoundboxCore
import SoundboxSpeak
import SoundboxSystem

/// The box's helper. Each subcommand has its own file. None starts a thread: the filter of `decode` would kill the
/// process.
@main
struct Speak: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soundbox-speak",
        abstract: "Make sound of texts and links for a sound box.",
        discussion: """
            soundbox starts it, one process for each sound. What is asked for comes on standard input. The sound goes to \
            standard output, or the reason why there is none to standard error, in one line.

              echo 三号桌客人请取餐 | soundbox-speak text --locale zh-CN | aplay
            """,
        version: SoundboxVersion.current,
        subcommands: [SpeakText.self, FetchClip.self, DecodeClip.self])
}

struct DecodeClip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Turn the sound file on standard input into a WAV file.",
        discussion: """
            WAV, FLAC, MP3, Ogg Vorbis or Ogg Opus. The process gives up network and files before it reads a byte.

              soundbox-speak decode <bye.ogg | aplay
            """)

    @Option(help: "The longest sound that is allowed, in milliseconds.")
    var maxDuration = 30_000

    func validate() throws {
        guard (1...30_000).contains(maxDuration) else { throw ValidationError("--max-duration: expected 1–30000") }
    }

    func run() {
        StandardStreams.answer { WAV.bytes(of: try ConfinedDecoder.sound(longest: .milliseconds(maxDuration))) }
    }
}

struct FetchClip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch the file at the URL on standard input, as it is.",
        discussion: """
            Every address that the host's name has must be on the public Internet, here and after each redirect.

              echo https://cdn.example.com/bye.ogg | soundbox-speak fetch --host cdn.example.com >bye.ogg
            """)

    @Option(help: "A host that may be asked, as in clips.hosts; may be given several times.")
    var host: [String]

    @Flag(help: "Allow http:// beside https://.")
    var plainHttp = false

    @Option(help: "The largest file that is allowed.")
    var maxBytes = 2 << 20

    @Option(help: "For the whole, in milliseconds.")
    var timeout = 10_000

    func validate() throws {
        guard !host.isEmpty else { throw ValidationError("--host: expected one at least") }
        for text in host where HostRule(text) == nil {
            throw ValidationError("--host: \(text.excerpt) is no name of a host such as cdn.example.com")
        }
        guard maxBytes > 0 else { throw ValidationError("--max-bytes: expected a number greater than 0") }
        guard timeout > 0 else { throw ValidationError("--timeout: expected a number greater than 0") }
    }

    func run() {
        let settings = ClipSettings(
            hosts: host.compactMap { HostRule($0) }, allowsPlainHTTP: plainHttp, largest: maxBytes,
            timeout: .milliseconds(timeout))
        StandardStreams.answer {
            let input = String(decoding: try StandardStreams.input(most: ClipURL.longest + 1), as: UTF8.self)
            return try ClipFetcher(settings).bytes(of: input.hasSuffix("\n") ? String(input.dropLast()) : input)
        }
    }
}

struct SpeakText: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "text", abstract: "Speak the text on standard input by espeak-ng, as a WAV file.")

    @Option(help: "The language as a BCP 47 tag, such as zh-CN.")
    var locale: String

    func run() {
        StandardStreams.answer {
            // espeak-ng could start something that outlives it.
            try Confinement.stayInGroup()
            let text = String(decoding: try StandardStreams.input(most: 65_536), as: UTF8.self)
            return WAV.bytes(of: try ESpeak().speech(of: text, in: locale))
        }
    }
}
