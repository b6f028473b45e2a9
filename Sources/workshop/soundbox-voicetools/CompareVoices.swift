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

            --against makes another page, for somebody who speaks the language: it plays each amount twice, from old \
            and from new recordings, and asks which one is easier to understand. It does not show which is which. The \
            file with the answers says it. An amount that one of the two cannot say is told and left out.

              soundbox-voicetools compare 2 10.05 123.45 --voice zh-CN --against old/sounds -o blind.html
            """)

    @Argument(help: "Plain digits, such as 123.45.")
    var amounts: [String]

    @Option(name: .customLong("voice"), help: ArgumentHelp("Only these voices.", valueName: "locale"))
    var locales: [String] = []

    @Option(help: ArgumentHelp("A code of ISO 4217.", valueName: "code"))
    var currency = "CNY"

    @Option(help: "How it was paid: alipay, wechat …")
    var channel: String?

    @Option(
        help: ArgumentHelp(
            "The folder that holds the voice with its old recordings; makes a page that does not show which is which.",
            valueName: "folder"))
    var against: String?

    @Option(name: [.short, .customLong("output")], help: ArgumentHelp("The page.", valueName: "page.html"))
    var output: String

    @OptionGroup var loudspeaker: SpeakerOptions

    @OptionGroup var sounds: SoundsOptions

    func validate() throws {
        guard Currency(currency) != nil else {
            throw ValidationError("\"\(currency)\" is no currency of ISO 4217; expected a code such as CNY.")
        }
        if against != nil, locales.count != 1 {
            throw ValidationError("--against compares one voice with itself; expected one --voice.")
        }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        guard let currency = Currency(currency) else { return }
        let amounts = try amounts.map { try Money($0, currency) }
        if let against, let locale = locales.first {
            return try await writeBlindPage(of: amounts, locale, against: VoiceFolder(path: against))
        }
        let folder = sounds.folder
        let available = folder.names
        for locale in locales where !available.contains(locale) {
            throw VoiceError.notFound(name: locale, directory: folder.path, available: available)
        }
        let chosen = locales.isEmpty ? available : locales
        guard !chosen.isEmpty else { throw VoiceError.notFound(name: "", directory: folder.path, available: []) }
        var comparison = VoiceComparison(of: amounts, channel: channel, loudspeaker: try loudspeaker.choice)
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

    private func writeBlindPage(of amounts: [Money], _ locale: String, against old: VoiceFolder) async throws {
        let page = try await BlindPage(
            of: amounts, channel: channel, loudspeaker: try loudspeaker.choice, by: locale, old: old,
            new: sounds.folder)
        for reason in page.leftOut { printError(reason) }
        guard page.amountCount > 0 else {
            printError("nothing can be compared; no page is written")
            throw ExitCode.failure
        }
        var random = SystemRandomNumberGenerator()
        try page.write(to: output, using: &random)
        let count = page.amountCount == 1 ? "1 amount" : "\(page.amountCount) amounts"
        printLine(
            "\(output): \(count) from \(page.old.directory) (\(page.old.sum)) and \(page.new.directory) "
                + "(\(page.new.sum))")
    }
}
