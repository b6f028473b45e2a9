import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Everything that a voice can say, once: its sentences, prompts, kinds, counts, currencies and some amounts. For an
/// author who reads or listens through it.
///
///     let tour = VoiceTour(try VoiceFolder(path: sounds).voice("zh-CN"))
///     for part in tour.parts { print(part.heading, part.stops.count) }
///     try await tour.write(to: "/tmp/tour.wav")
public struct VoiceTour: Sendable {
    /// One thing that is said.
    public struct Stop: Sendable {
        /// The key of `voice.yaml`, or a name for the rest: `sentences.refund`, `amounts`.
        public let key: String
        /// What is said, or why it cannot be said.
        public let script: Result<AnnouncementScript, SpeechError>
    }

    public struct Part: Sendable {
        public let heading: String
        public let stops: [Stop]
    }

    /// One of each kind: below one, one, one decimal, all places, empty places, long, round.
    public static let amounts = ["0.01", "1", "12.5", "123.45", "1005", "10500", "88888.88", "1000000"]

    /// Between two stops that are rendered together.
    private static let rest = Duration.milliseconds(700)
    private static let counts = [1, 2, 3, 10, 11, 12, 20, 100]

    private let voice: Voice
    private let renderer: SpeechRenderer

    public init(_ voice: Voice) {
        self.voice = voice
        renderer = SpeechRenderer(voice: voice, framesPerPeriod: 256)
    }

    /// In the order in which an author works. Cheap; reads no recording.
    public var parts: [Part] {
        let language = voice.language
        func money(_ amount: String, _ code: String) -> Money? { Currency(code).flatMap { try? Money(amount, $0) } }
        let (codes, currency) = (language.units.keys.sorted(), language.currency)
        guard let amount = money(currency.exponent == 0 ? "12345" : "123.45", currency.code) else { return [] }
        return [
            Part(heading: "Payments", stops: payments(of: amount)),
            Part(heading: "Summaries", stops: summaries(of: amount)),
            Part(
                heading: "Prompts",
                stops: Prompt.allCases.filter { language.prompts[$0] != nil }.map { prompt in
                    stop("prompts.\(prompt.rawValue)", .prompt(prompt))
                } + [stop("prompts.network_restored", .network(isOnline: true, address: [192, 168, 1, 20]))]),
            Part(
                heading: "Kinds",
                stops: language.kinds.sorted { $0.key.text < $1.key.text }.map { name, kind in
                    stop(
                        "kinds.\(name.text)",
                        .kind(name, amount: kind.hasAmount ? amount : nil, number: kind.hasNumber ? 12 : nil))
                }),
            Part(
                heading: "Counts",
                stops: Self.counts.map { count in
                    stop("counts") { () throws(SpeechError) in
                        try voice.writer.script(ofText: try language.reading(of: count))
                    }
                }),
            Part(
                heading: "Currencies",
                stops: codes.flatMap { code in ["1", "2", "12.5"].compactMap { money($0, code) } }.map(payment)),
            Part(
                heading: "Amounts",
                stops: Self.amounts.compactMap { money($0, currency.code) }.map(payment)),
        ].filter { !$0.stops.isEmpty }
    }

    private func payments(of amount: Money) -> [Stop] {
        // Providers have several names for one channel.
        var words: Set<String> = []
        let channels = voice.language.channels.sorted { $0.key < $1.key }.filter { words.insert($0.value).inserted }
            .map(\.key)
        let unreadable = [Language.Sentence.unreadable, .unreadableWithoutChannel, .unreadableRefund].map { sentence in
            text(of: sentence, channel: channels.first)
        }
        return channels.map { stop("sentences.payment", .payment(amount, channel: $0)) }
            + [
                stop("sentences.payment_without_channel", .payment(amount, channel: nil)),
                stop("sentences.refund", .refund(amount)),
            ]
            + (voice.language.sentences[.replay] == nil
                ? [] : [stop("sentences.replay", .replay(.payment(amount, channel: nil)))]) + unreadable
    }

    private func summaries(of amount: Money) -> [Stop] {
        let takings = DayTakings(payments: 12, totals: [amount], refunds: 2, refundTotals: [amount])
        return [
            stop("sentences.late_summary", .lateSummary(count: 3, totals: [amount])),
            stop("sentences.late_summary_without_total", .lateSummary(count: 3, totals: [])),
            stop("sentences.today", .today(count: 12, totals: [amount])),
            stop("sentences.today_without_total", .today(count: 12, totals: [])),
        ]
            + (voice.language.sentences[.todayRefunds] == nil
                ? [] : [stop("sentences.today_refunds", .dayTakings(takings))])
    }

    private func payment(_ money: Money) -> Stop { stop("amounts", .payment(money, channel: nil)) }

    /// A sentence that is said when something is missing.
    private func text(of sentence: Language.Sentence, channel: String?) -> Stop {
        let name = channel.flatMap { voice.language.channels[$0] } ?? ""
        let words = (voice.language.sentences[sentence] ?? "").replacing("{channel}", with: name)
        return stop("sentences.\(sentence.rawValue)") { () throws(SpeechError) in
            try voice.writer.script(ofText: words)
        }
    }

    private func stop(_ key: String, _ utterance: Utterance) -> Stop {
        stop(key) { () throws(SpeechError) in try voice.writer.exactScript(for: utterance) }
    }

    private func stop(_ key: String, _ script: () throws(SpeechError) -> AnnouncementScript) -> Stop {
        Stop(key: key, script: Result(catching: script))
    }

    /// Writes everything into one WAV, with rests in between. Blocks on the disk; takes seconds.
    /// - Throws: as ``SpeechRenderer/write(_:to:)``.
    public func write(to path: String) async throws {
        let scripts = parts.flatMap(\.stops).compactMap { try? $0.script.get() }
        let whole = scripts.reduce(AnnouncementScript(text: "", elements: [])) { $0.followed(by: $1, after: Self.rest) }
        try await renderer.write(whole, to: path)
    }

    /// Writes one script into a WAV of its own. Blocks on the disk.
    /// - Throws: as ``SpeechRenderer/write(_:to:)``.
    public func write(_ script: AnnouncementScript, to path: String) async throws {
        try await renderer.write(script, to: path)
    }
}
