import ArgumentParser
import SoundboxCore
import SoundboxSpeak
import SoundboxSystem

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
