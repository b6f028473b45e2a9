import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxVoice
import SoundboxWorkshop

struct CompareVoices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Write a page that plays amounts in every voice, and shows how their recordings are joined.",
        discussion: """
            The page is one file with the sound in it. Open it in a browser, or send it to somebody: it needs no \
            network. For each voice it shows the text, the wave with its recordings, overlaps and rests, and each join \
            enlarged. A voice that cannot be used, or cannot say an amount, is told on the page.

              soundbox-voicetools compare 0.06 1005 123.45 --channel alipay -o compare.html
              soundbox-voicetools compare 123.45 --voice zh-CN --speaker small -o small.html
            """)

    @Argument(help: "Plain digits, such as 123.45.")
    var amounts: [String]

    @Option(name: .customLong("voice"), help: ArgumentHelp("Only these voices.", valueName: "locale"))
    var locales: [String] = []

    @Option(help: ArgumentHelp("A code of ISO 4217.", valueName: "code"))
    var currency = "CNY"

    @Option(help: "How it was paid: alipay, wechat …")
    var channel: String?

    @Option(name: [.short, .customLong("output")], help: ArgumentHelp("The page.", valueName: "page.html"))
    var output: String

    @OptionGroup var loudspeaker: SpeakerOptions

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
        let available = folder.names
        for locale in locales where !available.contains(locale) {
            throw VoiceError.notFound(name: locale, directory: folder.path, available: available)
        }
        let chosen = locales.isEmpty ? available : locales
        guard !chosen.isEmpty else { throw VoiceError.notFound(name: "", directory: folder.path, available: []) }
        var comparison = VoiceComparison(
            of: try amounts.map { try Money($0, currency) }, channel: channel, loudspeaker: try loudspeaker.choice)
        for (index, locale) in chosen.enumerated() {
            showProgress("\(index + 1)/\(chosen.count) \(locale)")
            await comparison.add(locale, of: folder)
        }
        showProgress("")
        try comparison.write(to: output)
        let voices = chosen.count == 1 ? "1 voice" : "\(chosen.count) voices"
        printLine("\(output): \(comparison.spokenCount) sounds of \(amounts.count) amounts in \(voices)")
        for problem in comparison.problems { printError(problem.reason) }
        if comparison.spokenCount == 0 { printError("nothing can be heard; \(output) says why") }
        if !comparison.problems.isEmpty || comparison.spokenCount == 0 { throw ExitCode.failure }
    }
}
