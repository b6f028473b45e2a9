import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import Testing

@testable import SoundboxWorkshop

/// Where the voices are that ship with the box.
let shippedVoices = VoiceFolder(path: #filePath.replacing(/\/Tests\/.*$/, with: "/sounds"))

@Suite("The numbers of every voice beside ICU's")
struct OracleTests {
    private static let directory = #filePath.replacing(/[^\/]+$/, with: "Deviations")

    /// The ICU that the lists were made beside: Debian 12's.
    private static let icuVersion = 72

    @Test("Every language has a list of its deviations, and every list a language")
    func lists() throws {
        let lists = try SmallFile.names(in: Self.directory).sorted()
        #expect(lists == shippedVoices.locales.map { "\($0).yaml" })
    }

    @Test("A voice spells amounts as ICU does, but where it says why not", arguments: shippedVoices.locales)
    func agreement(locale: String) async throws {
        try await compare(locale, deviations: "\(Self.directory)/\(locale).yaml")
    }

    @Test("A second set of rules for amounts spells as ICU's set of that name does, but where it says why not")
    func alternatives() async throws {
        try await compare(
            "zh-CN", cardinal: "%spellout-cardinal-alternate2",
            deviations: Self.directory.replacing("/Deviations", with: "/Alternatives/zh-CN.yaml"))
    }

    private func compare(_ locale: String, cardinal: String? = nil, deviations: String) async throws {
        // Seconds of work: on a thread of its own, so that tests that wait for events are not held up.
        let (report, version) = try await onOwnThread(named: "oracle") {
            let oracle = VoiceOracle()
            var language = try shippedVoices.speaking(locale, speaker: nil) { $0 }.prepared.language
            if let cardinal { language.cardinalRuleSet = cardinal }
            let report = try oracle.compare(language, deviations: deviations, mostExamples: 5)
            return (report, oracle.version)
        }
        print(
            "oracle \(locale): \(report.compared) compared, \(report.equal) equal, \(report.deviating) deviating by rule, "
                + "\(report.wrong) wrong")
        #expect(report.compared >= 100_000)
        #expect(report.wrong == 0, "the first of them:\n\(report.examples.map { "\($0)" }.joined(separator: "\n"))")
        // A later ICU may read by itself what a rule asks of it: since 76 at the latest zero is nol in Indonesian.
        if version <= Self.icuVersion {
            #expect(report.unusedRules == [], "these deviations apply to no amount")
        }
    }
}

@Suite("Asking ICU")
struct ICUTests {
    private let voice: Language

    init() throws { voice = try shippedVoices.voice("en-US").language }

    @Test("A set that ICU does not have is told with those that it has, a locale with what one looks like")
    func unknown() throws {
        let oracle = VoiceOracle()
        let set = #expect(throws: ICUError.self) { try oracle.compare(voice, ruleSet: "%spelout") }
        #expect(set?.description.contains("no rule set %spelout for en_US; expected one of") == true)
        #expect(set?.description.contains("%spellout-cardinal") == true)
        var other = voice
        other.locale = "tlh"
        let locale = #expect(throws: ICUError.self) { try oracle.compare(other) }
        #expect(locale?.description.contains("no rules for tlh; expected a locale as ICU writes it") == true)
    }

    @Test("A voice that reads otherwise is told with the amount, both readings, and no more of them than asked for")
    func differences() throws {
        var wrong = voice
        wrong.numbers = try NumberRules(
            parsing: """
                %spellout-cardinal:
                0: zero; one; two; three; four; five; six; seven; eight; nine;
                10: <<[ >>];
                x.x: << point >>;
                """)
        let report = try VoiceOracle().compare(wrong, mostExamples: 2)
        #expect(report.wrong > 100_000 && report.examples.count == 2)
        #expect(
            report.examples.first == .init(amount: "10", own: "one", icu: "ten", expected: "ten"))
    }
}
