import Foundation
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Testing
import VoiceTestSupport

@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("Beginning a voice")
struct VoiceSkeletonTests {
    let folder: SoundFolder
    /// The new voice's folder, within ``folder``.
    let voiceFolder: String

    init() throws {
        folder = try SoundFolder()
        voiceFolder = folder.path(of: "ms-MY")
    }

    private func cleanUp() {
        for name in (try? SmallFile.names(in: voiceFolder)) ?? [] { unlink("\(voiceFolder)/\(name)") }
        rmdir(voiceFolder)
    }

    /// Any sound in place of each recording, each its own.
    private func record(_ voice: Voice) throws {
        for (index, entry) in voice.recordings.entries.enumerated() {
            let tone = Recording.tone(
                200 + 20 * Double(index), lasting: .milliseconds(300), sampleRate: voice.recordings.sampleRate)
            let finished = try Leveler(target: voice.recordings.loudness).leveled(SilenceTrimmer().trimmed(tone))
            try AudioFile.write(finished, to: "\(voiceFolder)/\(entry.file)", isSynthesized: false)
        }
    }

    @Test("A new voice lacks nothing but its recordings, and passes the check once they are there")
    func complete() throws {
        defer { cleanUp() }
        _ = try VoiceSkeleton(locale: "ms-MY", in: folder.path).create()
        let voice = try Voice(directory: voiceFolder)
        #expect(voice.language.locale == "ms-MY")
        #expect(voice.recordings.entries.allSatisfy { $0.say == nil })
        let problems = try VoiceCheck(voice).problems()
        #expect(problems.count == voice.recordings.entries.count)
        #expect(problems.allSatisfy { $0.contains("does not exist") })
        try record(voice)
        #expect(try VoiceCheck(voice).problems() == [])
        #expect(VoiceCheck(voice).notes == [])
    }

    @Test("Rules that glue words together under `words: spaced` are found by the check and not by a payment")
    func glued() throws {
        defer { cleanUp() }
        _ = try VoiceSkeleton(locale: "ms-MY", in: folder.path).create()
        let file = "\(voiceFolder)/voice.yaml"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("10: << >>;", with: "10: <<>>;").write(toFile: file, atomically: true, encoding: .utf8)
        let problems = try VoiceCheck(try Voice(directory: voiceFolder)).problems()
        let problem = try #require(problems.first { $0.contains("numbers:") })
        #expect(problem.contains("10 is \"onezero\"") && problem.contains("words: unspaced"), "\(problem)")
    }

    @Test(
        "A voice made before there were the newest keys still loads; what it lacks is noted with what is said instead")
    func olderVoice() throws {
        defer { cleanUp() }
        _ = try VoiceSkeleton(locale: "ms-MY", in: folder.path).create()
        let file = "\(voiceFolder)/voice.yaml"
        let newest = [
            "  replay:", "  today_refunds:", "  setup_fault:", "  ring_missed:", "  cancelled:", "  message:",
            "  sign_in_code:", "  payment_unreadable:", "  marker:", "other_currency:",
        ]
        let older = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .filter { line in !newest.contains { line.hasPrefix($0) } }
        try (older.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let voice = try Voice(directory: voiceFolder)
        let notes = VoiceCheck(voice).notes
        #expect(
            notes.map { String($0.split(separator: " ")[1]) } == [
                "sentences.replay:", "sentences.today_refunds:", "prompts.setup_fault:", "prompts.ring_missed:",
                "prompts.cancelled:", "prompts.message:", "prompts.sign_in_code:", "prompts.payment_unreadable:",
                "prompts.marker:", "other_currency:",
            ])
        let money = Money(try DecimalNumber("7"), .CNY)
        let payment = Utterance.payment(money, channel: nil)
        #expect(voice.writer.script(for: .replay(payment)) == voice.writer.script(for: payment))
        #expect(voice.writer.script(for: .prompt(.setupFault)).text == voice.language.prompts[.notProvisioned])
    }

    @Test(
        "Digits alone speak every amount",
        arguments: [
            ("1005.20", "one zero zero five point two yuan"), ("0.01", "zero point zero one yuan"),
            ("7", "seven yuan"), ("10", "one zero yuan"),
            ("999999999.99", "nine nine nine nine nine nine nine nine nine point nine nine yuan"),
        ])
    func digits(amount: String, reading: String) throws {
        defer { cleanUp() }
        _ = try VoiceSkeleton(locale: "ms-MY", in: folder.path).create()
        let voice = try Voice(directory: voiceFolder)
        let money = try Money(amount, #require(Currency("CNY")))
        #expect(try voice.language.reading(of: money) == reading)
        let script = try voice.writer.exactScript(for: .payment(money, channel: "alipay"))
        let words = script.elements.compactMap { element -> String? in
            guard case .phrase(let index) = element else { return nil }
            return voice.recordings.entries[index].text
        }
        #expect(words == ["Alipay", "received"] + reading.split(separator: " ").map(String.init))
    }

    @Test("Every utterance can be said")
    func utterances() throws {
        defer { cleanUp() }
        _ = try VoiceSkeleton(locale: "ms-MY", in: folder.path).create()
        let writer = try Voice(directory: voiceFolder).writer
        let money = try Money("1005.2", #require(Currency("USD")))
        let utterances: [Utterance] =
            [
                .payment(money, channel: nil), .payment(money, channel: "wechat"), .refund(money),
                .replay(.refund(money)), .lateSummary(count: 12, totals: [money, money]), .today(count: 1, totals: []),
            ] + Prompt.allCases.map { .prompt($0) } + [.signInCode(SignInCode())]
        for utterance in utterances { #expect(try !writer.exactScript(for: utterance).elements.isEmpty) }
    }

    @Test("A voice begun from another speaks its words, and has none of its recordings")
    func fromAnother() throws {
        defer { cleanUp() }
        let origin = "\(shippedSounds)/zh-CN"
        _ = try VoiceSkeleton(locale: "ms-MY", in: folder.path).create(from: origin)
        let (voice, source) = (try Voice(directory: voiceFolder), try Voice(directory: origin))
        #expect(voice.language.locale == "ms-MY")
        #expect(voice.recordings.entries.map(\.text) == source.recordings.entries.map(\.text))
        #expect(voice.recordings.entries.map(\.file) == source.recordings.entries.map(\.file))
        #expect(voice.recordings.entries.allSatisfy { $0.say == nil } && voice.recordings.synthesis == nil)
        #expect(voice.language.sentences == source.language.sentences && voice.language.units == source.language.units)
        let money = try Money("100010000.05", #require(Currency("CNY")))
        #expect(try voice.language.reading(of: money) == source.language.reading(of: money))
        #expect(
            try RecordingScript(directory: voiceFolder).lines.map(\.heading)
                == RecordingScript(directory: origin).lines.map(\.heading))
        #expect(try SmallFile.names(in: voiceFolder).sorted() == ["chime.opus", "voice.yaml"])
    }

    @Test("What is there already stays as it is")
    func exists() throws {
        defer { cleanUp() }
        mkdir(voiceFolder, 0o755)
        try folder.write("mine".utf8, to: "ms-MY/voice.yaml")
        #expect(throws: SkeletonError.exists("\(voiceFolder)/voice.yaml")) {
            try VoiceSkeleton(locale: "ms-MY", in: folder.path).create()
        }
        #expect(try folder.bytes(of: "ms-MY/voice.yaml") == Array("mine".utf8))
        #expect(try SmallFile.names(in: voiceFolder).sorted() == ["voice.yaml"])
    }

    @Test(
        "A locale is a tag and never a path",
        arguments: [
            ("ms-MY", true), ("zh-Hant-TW", true), ("en", true), ("yue", true), ("../x", false), ("", false),
            ("zh/CN", false),
            ("Chinese language", false), ("en_US", false),
        ])
    func locale(text: String, isLocale: Bool) {
        #expect(VoiceSkeleton.isLocale(text) == isLocale)
    }
}
