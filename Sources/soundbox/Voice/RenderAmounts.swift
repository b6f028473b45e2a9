import ArgumentParser
import SoundboxAudio
import SoundboxCore
import SoundboxHardware
import SoundboxVoice

struct RenderAmounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Speak amounts in every voice, one WAV for each, to listen and compare.")

    @Argument(help: "Plain digits, such as 123.45.")
    var amounts: [String]

    @Option(help: ArgumentHelp("A code of ISO 4217.", valueName: "code"))
    var currency = "CNY"

    @Option(help: "How it was paid: alipay, wechat …")
    var channel: String?

    @Option(name: .customLong("voice"), help: ArgumentHelp("Only these voices.", valueName: "locale"))
    var locales: [String] = []

    @Option(
        name: [.short, .customLong("output")], help: ArgumentHelp("The folder for <locale>.wav.", valueName: "folder"))
    var output: String

    @OptionGroup var sounds: SoundsOptions

    func validate() throws {
        guard Currency(currency) != nil else {
            throw ValidationError("\"\(currency)\" is no currency of ISO 4217; expected a code such as CNY.")
        }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        guard let currency = Currency(currency) else { return }
        let folder = sounds.folder
        for locale in locales.isEmpty ? folder.locales : locales {
            let voice = try folder.voice(locale)
            let file = "\(output)/\(locale).wav"
            let speaker = Speaker(device: "file:\(file)", voice: voice)
            for amount in amounts {
                let money = try Money(amount, currency)
                printLine("\(file): \(try voice.language.reading(of: money))")
                try await speaker.speak(.payment(money, channel: channel))
            }
            await speaker.close()
        }
    }
}
