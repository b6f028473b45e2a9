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

@Suite("What has become of a payment while its announcement could not be heard", .timeLimit(.minutes(10)))
struct AnnouncerRetryTests {
    /// Told by the test.
    private final class WallClock: Sendable {
        private let now = Mutex(Timestamp(millisecondsSince1970: 1_795_233_600_000))
        var time: Timestamp { now.withLock { $0 } }
        func pass(_ duration: Duration) {
            now.withLock { now in
                let passed = Int64(duration / .milliseconds(1))
                now = Timestamp(millisecondsSince1970: now.millisecondsSince1970 + passed)
            }
        }
    }

    private let sink = RecordingSink()
    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(100))
    private let clock = WallClock()
    private let requests = AnnouncerRequests()
    /// One entry for every announcement that is recorded.
    private let recorded = Journal<Void>()
    private let voice: Voice
    private static let absent = AudioSinkError.unavailable(device: "x", reason: "no such device")

    init() throws { voice = try Voice.shipped() }

    private func withService(_ body: @Sendable @escaping (AnnouncerService) async throws -> Void) async throws {
        let service = AnnouncerService(
            announcer: Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600))), inbox: inbox,
            clock: BoxClock(newestKnown: nil) { [clock] in
                BoxClock.Signs(now: clock.time, isSynchronised: true, offset: .zero)
            },
            player: Player(sink: sink, voices: Voices(first: voice), volume: Volume(100)),
            voices: Voices(first: voice), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, requests: requests,
            delegate: AnnouncerHooks(receipts: { [recorded] in recorded.append(()) }))
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            try await body(service)
            group.cancelAll()
        }
    }

    private func arrive(_ amounts: [String]) throws {
        let notices = try amounts.map { amount in
            Arrival.notice(
                PaymentNotice(id: try PaymentID("T\(amount)"), money: try Money(amount, .CNY), paidAt: clock.time))
        }
        _ = try inbox.store(notices, at: clock.time)
    }

    /// Each as `id state reason`, without those that say "stored".
    private func receipts() throws -> [String] {
        try inbox.receipts(after: 0, limit: 100).filter { $0.topic == .receipts }.map {
            try JSONValue(parsing: $0.payload)
        }
        .filter { $0["state"]?.string != "stored" }
        .map { [$0["id"], $0["state"], $0["reason"]].compactMap { $0?.string }.joined(separator: " ") }
    }

    /// What is written for it when nothing disturbs.
    private func alone(_ utterance: Utterance) async throws -> [UInt8] {
        let sink = RecordingSink()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        try await player.play(voice.writer.script(for: utterance))
        return try #require(sink.announcements.first)
    }

    /// Returns when the service has tried to announce what waits.
    private func loseSpeaker(_ service: AnnouncerService, thenArrive arrive: () throws -> Void) async throws {
        for await snapshot in state.changes() where snapshot.device != nil { break }
        sink.fail(.open, with: Self.absent, times: .max)
        try arrive()
        requests.inboxChanged()
        for await snapshot in state.changes() where snapshot.audioFault != nil { break }
    }

    @Test("Yesterday's payment is told in a summary, and not as news, when a speaker is plugged in")
    func yesterday() async throws {
        try await withService { service in
            try await loseSpeaker(service) { try arrive(["8"]) }
            clock.pass(.seconds(86_400))
            sink.fail(.open, with: Self.absent)
            try await recorded.next()
            #expect(try receipts() == ["T8 expired told in a summary of 1"])
            let summary = try await alone(.lateSummary(of: [Money("8", .CNY)]))
            #expect(sink.announcements == [summary])
        }
    }

    @Test("A payment that is cancelled while the speaker is away is not spoken, and not counted in a summary")
    func cancelled() async throws {
        try await withService { service in
            try await loseSpeaker(service) {
                try arrive(["8", "20", "3"])
                clock.pass(.seconds(86_400))
                try arrive(["5", "6"])
            }
            for amount in ["20", "5"] {
                guard case .cancelled = try inbox.cancel(try PaymentID("T\(amount)"), at: clock.time) else {
                    Issue.record("\(amount) cannot be cancelled")
                    return
                }
            }
            sink.fail(.open, with: Self.absent)
            for _ in 1...2 { try await recorded.next() }
            #expect(
                try receipts() == [
                    "T20 cancelled", "T5 cancelled", "T8 expired told in a summary of 2",
                    "T3 expired told in a summary of 2", "T6 announced",
                ])
            let summary = try await alone(.lateSummary(of: [Money("8", .CNY), Money("3", .CNY)]))
            let news = try await alone(.payment(Money("6", .CNY), channel: nil))
            #expect(sink.announcements == [summary, news])
        }
    }
}
