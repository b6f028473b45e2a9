import ArgumentParser
import SoundboxCore
import SoundboxSpeak

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
