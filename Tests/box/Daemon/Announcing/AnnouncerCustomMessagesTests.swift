import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Synchronization
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

@Suite("The announcer's service, when commands give it something to say", .timeLimit(.minutes(10)))
struct AnnouncerCustomMessagesTests {
    private let sink = RecordingSink()
    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(100))
    private let requests = AnnouncerRequests()
    /// One entry for every commit that wrote receipts.
    private let recorded = Journal<Void>()
    private let voice: Voice
    private let speeches = Speeches()
    private let prepared = Journal<[String]>()

    init() throws { voice = try Voice.shipped() }

    private func withService(
        sink: (any AudioSink)? = nil, words: @escaping @Sendable (String) async -> AnnouncementScript? = { _ in nil },
        _ body: @Sendable @escaping (AnnouncerService) async throws -> Void
    ) async throws {
        let service = AnnouncerService(
            announcer: Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600))), inbox: inbox,
            customMessages: FakeSounds(store: inbox, prepared: prepared, speeches: speeches, make: words),
            clock: BoxClock(newestKnown: nil),
            player: Player(sink: sink ?? self.sink, voices: Voices(first: voice), volume: Volume(100)),
            voices: Voices(first: voice), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, requests: requests,
            delegate: AnnouncerHooks(receipts: { [recorded] in recorded.append(()) }), checkInterval: .seconds(86_400))
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            try await body(service)
            group.cancelAll()
        }
    }

    private func ask(_ id: String, at: Timestamp = .now, _ speech: Announcer.Speech?) throws {
        speeches[id] = speech
        let customMessage = CustomMessage(id: try CommandID(id), purpose: .say, content: .text(id), at: at)
        _ = try inbox.apply([.customMessage(customMessage, expiry: Self.later, onlyWhenNoRing: false)], at: .now)
    }

    private static let later = Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 + 86_400_000)

    private func words(_ prompt: Prompt) -> AnnouncementScript { voice.writer.script(for: .prompt(prompt)) }

    /// Each as `id state reason`, without those that say "stored".
    private func receipts() throws -> [String] {
        try inbox.receipts(after: 0, limit: 100).filter { $0.topic == .receipts }
            .map { try JSONValue(parsing: $0.payload) }
            .filter { $0["state"]?.string != "stored" }
            .map { json in
                [json["command"] ?? json["id"], json["state"], json["how"], json["reason"]]
                    .compactMap { $0?.string }.joined(separator: " ")
            }
    }

    /// What is written for it when nothing disturbs.
    private func alone(_ script: AnnouncementScript, hasChime: Bool = false) async throws -> [UInt8] {
        let sink = RecordingSink()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        _ = try await player.play(script, Delivery(hasChime: hasChime))
        return try #require(sink.announcements.first)
    }

    @Test("It is said when its sound is ready, without the chime of payments, and its receipt says so")
    func said() async throws {
        let script = words(.greeting)
        try await withService { service in
            try ask("S1", nil)
            requests.inboxChanged()
            _ = try await prepared.next { $0 == ["S1"] ? true : nil }
            #expect(sink.announcements.isEmpty)
            speeches["S1"] = .ready(script)
            requests.inboxChanged()
            try await recorded.next()
            #expect(try receipts() == ["S1 spoken aloud"])
            let expected = try await alone(script)
            #expect(sink.announcements == [expected])
            #expect(try inbox.customMessages().isEmpty)
        }
    }

    @Test("What cannot be had is told of with other words or with none, and what is too old is not said")
    func failed() async throws {
        let instead = words(.volumeMaximum)
        try await withService { service in
            try ask("S1", .failed(reason: "no such host", instead: nil))
            try ask("S2", .failed(reason: "no such host", instead: instead))
            let old = Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 - 400_000)
            try ask("S3", at: old, .ready(instead))
            requests.inboxChanged()
            for _ in 1...3 { try await recorded.next() }
            // Those of which nothing is heard end first.
            #expect(try receipts() == ["S1 failed no such host", "S3 expired", "S2 failed no such host"])
            let expected = try await alone(instead)
            #expect(sink.announcements == [expected])
        }
    }

    @Test("A sentence of which a recording is lost is told of as a message, and as failed")
    func recordingLost() async throws {
        let lost = AnnouncementScript(text: "x", elements: [.sound(PCMSound(samples: [], sampleRate: 48_000))])
        try await withService { service in
            try ask("S1", .ready(lost))
            requests.inboxChanged()
            try await recorded.next()
            #expect(try receipts() == ["S1 failed there is not a word in it"])
        }
    }

    @Test("A notice's text follows the notice as a delivery of its own, and what has none costs the payment nothing")
    func text() async throws {
        let text = words(.greeting)
        try await withService(words: { $0 == "no words" ? nil : text }) { service in
            for (amount, words) in [("20", "no words"), ("8", "欢迎")] {
                let money = try Money(amount, .CNY)
                _ = try inbox.store(
                    [.notice(PaymentNotice(id: try PaymentID("T\(amount)"), money: money, text: words))], at: .now)
                requests.inboxChanged()
                try await recorded.next()
            }
            #expect(try receipts() == ["T20 announced aloud", "T8 announced aloud"])
            let expected = [
                try await alone(
                    voice.writer.script(for: .payment(Money("20", .CNY), channel: nil)), hasChime: true),
                try await alone(
                    voice.writer.script(for: .payment(Money("8", .CNY), channel: nil)), hasChime: true),
                try await alone(text),
            ]
            while sink.announcements.count < expected.count { await Task.yield() }
            #expect(sink.announcements == expected)
        }
    }

    @Test(
        "While a cancel is committed what it names does not begin; when that fails it does", arguments: [true, false])
    func held(isCancelled: Bool) async throws {
        try await withService { service in
            let money = try Money("8", .CNY)
            let notices = try [("T", PaymentNotice.Kind.payment), ("R", .refund), ("U", .payment)].map {
                PaymentNotice(id: try PaymentID($0), money: money, kind: $1)
            }
            #expect(!service.hold(.payment(notices[0].id)))
            _ = try inbox.store(notices.prefix(2).map { .notice($0) }, at: .now)
            requests.inboxChanged()
            // It comes behind payments.
            while try receipts() != ["R announced aloud"] { await Task.yield() }
            if isCancelled { try inbox.cancel(notices[0].id, at: .now) }
            service.letGo(.payment(notices[0].id), isCancelled: isCancelled)
            _ = try inbox.store([.notice(notices[2])], at: .now)
            requests.inboxChanged()
            while try receipts().last != "U announced aloud" { await Task.yield() }
            #expect(try receipts()[1] == (isCancelled ? "T cancelled" : "T announced aloud"))
        }
    }

    @Test("A payment that is cancelled while it sounds ends early, \"cancelled\" is said, and it is not recorded")
    func cancelledWhileItSounds() async throws {
        let told = TellingSink(sink)
        try await withService(sink: told) { service in
            let id = try PaymentID("T")
            told.after(periods: 40) { [inbox] in
                let hasBegun = service.hold(.payment(id))
                _ = try? inbox.cancel(id, hasBegun: hasBegun, at: .now)
            }
            _ = try inbox.store([.notice(PaymentNotice(id: id, money: try Money("12345.67", .CNY)))], at: .now)
            requests.inboxChanged()
            let cancelled = try await alone(words(.cancelled))
            while sink.announcements.count < 2 { await Task.yield() }
            #expect(cancelled.starts(with: sink.announcements[1]))
            let whole = try await alone(
                voice.writer.script(for: .payment(Money("12345.67", .CNY), channel: nil)), hasChime: true)
            #expect(sink.announcements[0].count < whole.count)
            #expect(try receipts() == ["T cancelled while it sounded"])
        }
    }
}

/// Passes everything on, and does something when it has passed so many periods on.
private final class TellingSink: AudioSink {
    private struct Plan {
        var periods: Int
        var work: @Sendable () -> Void
    }

    private let sink: RecordingSink
    private let plan = Mutex<Plan?>(nil)

    init(_ sink: RecordingSink) { self.sink = sink }

    func after(periods: Int, _ work: @escaping @Sendable () -> Void) {
        plan.withLock { $0 = Plan(periods: periods, work: work) }
    }

    func open() throws(AudioSinkError) -> PCMFormat { try sink.open() }
    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try sink.write(frames)
        let due = plan.withLock { plan -> Plan? in
            plan?.periods -= 1
            guard let due = plan, due.periods == 0 else { return nil }
            plan = nil
            return due
        }
        due?.work()
    }
    func drain() throws(AudioSinkError) { try sink.drain() }
    func interrupt() { sink.interrupt() }
    func close() { sink.close() }
}

private struct FakeSounds: SpokenCustomMessages {
    let store: any CustomMessageStore
    let prepared: Journal<[String]>
    let speeches: Speeches
    let make: @Sendable (String) async -> AnnouncementScript?

    func prepare(_ entries: [CustomMessageEntry]) { prepared.append(entries.map(\.customMessage.id.text)) }

    func speech(of entry: CustomMessageEntry) -> Announcer.Speech {
        speeches[entry.customMessage.id.text] ?? .pending
    }

    func words(of ring: CustomMessageEntry) -> AnnouncementScript? { .silence }

    func words(ofText text: String) async -> AnnouncementScript? { await make(text) }
}

/// What there is to be heard of each custom message. Others are pending.
private final class Speeches: Sendable {
    private let content = Mutex<[String: Announcer.Speech]>([:])
    subscript(id: String) -> Announcer.Speech? {
        get { content.withLock { $0[id] } }
        set { content.withLock { $0[id] = newValue } }
    }
}
