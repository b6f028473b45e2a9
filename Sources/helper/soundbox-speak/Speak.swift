import ArgumentParser
import SoundboxCore

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
