import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import SoundboxWorkshop

struct PrintScript: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "script", abstract: "Print what a speaker must read aloud, to be recorded in one take.",
        discussion: """
            In the order of the list in voice.yaml, under the comments that group it. Read it aloud in this order and give \
            the take to `soundbox-voicetools import`, with the same --missing or --synthesized.

              soundbox-voicetools script zh-CN | lp
            """)

    @Argument(help: "Which voice.")
    var locale: String

    @OptionGroup var selection: SelectionOptions

    @OptionGroup var sounds: SoundsOptions

    func run() throws {
        let voice = try sounds.folder.voice(locale)
        let lines = try RecordingScript(directory: voice.directory, selection: selection.selection).lines
        printLine("\(voice.language.locale), \(voice.language.name): \(lines.count) phrases to read aloud")
        if lines.isEmpty { return }
        printLine("")
        printLine(Self.advice)
        let width = "\(lines.count)".count
        var heading: String?
        for (index, line) in lines.enumerated() {
            if index == 0 || line.heading != heading {
                heading = line.heading
                printLine("\n\(heading ?? "")")
            }
            let number = "\(index + 1)"
            let indent = String(repeating: " ", count: width - number.count + 2)
            printLine("\(indent)\(number)  \(line.entry.text)   [\(line.entry.file).flac]")
        }
    }

    private static let advice = """
        - A quiet room with curtains or books. Fans, refrigerator and telephone off.
        - A hand's span (20 cm) from the microphone, a little beside it; the same distance throughout.
        - One voice, one mood, one speed: calm and clear. Say each phrase as people say it, not its syllables.
        - Peaks near -12 dBFS: the meter never reaches its red end. WAV or FLAC, mono, 44.1 or 48 kHz, 16 or 24 bits.
        - Rest for a full second in silence before the first phrase and after each one.
        - One take, in this order, each phrase once. The numbers and file names are not read.
        - After a slip, cut the bad phrase out of the take in a sound editor, or begin again from the start.
        """
}
