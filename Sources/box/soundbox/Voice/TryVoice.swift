import ArgumentParser
import SoundboxAudio
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

struct TryVoice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Say everything that a voice has to say, as text or as sound.",
        discussion: """
            Every sentence with every channel, every prompt and kind, counts, each currency and some amounts: one per \
            line, under headings. What cannot be said is told, and the exit code is 1. Recordings are needed for -o only: \
            FILE.wav gets all of it, a folder one WAV for each line.

              soundbox voice try ms-MY
              soundbox voice try zh-CN-yunxi -o trial.wav
            """)

    @Argument(help: "Which voice.")
    var locale: String

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("A WAV, or a folder, which is made when it is missing.", valueName: "file.wav|folder"))
    var output: String?

    @OptionGroup var sounds: SoundsOptions

    func run() async throws {
        let voice = try sounds.folder.voice(locale)
        let tour = VoiceTour(voice)
        let parts = tour.parts
        let isWhole = output?.lowercased().hasSuffix(".wav") == true
        if let output { try SmallFile.createFolders(isWhole ? SmallFile.folder(of: output) : output) }
        var failures = 0
        var number = 0
        for part in parts {
            printLine("\(number == 0 ? "" : "\n")\(part.heading)")
            for stop in part.stops {
                number += 1
                switch stop.script {
                case .failure(let error):
                    failures += 1
                    printError("\(voice.directory)/voice.yaml: \(stop.key): \(error)")
                case .success(let script):
                    guard let output, !isWhole else {
                        printLine("  \(script.text)")
                        continue
                    }
                    let file = "\(output)/\(Self.name(number, stop.key)).wav"
                    try await tour.write(script, to: file)
                    printLine("  \(script.text)  \(file)")
                }
            }
        }
        if let output, isWhole { try await tour.write(to: output) }
        if failures > 0 { throw ExitCode.failure }
    }

    /// A name that sorts in order and describes the content: `007-sentences-refund`.
    private static func name(_ number: Int, _ key: String) -> String {
        let digits = String(number)
        let word = key.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits + "-" + String(word)
    }
}
