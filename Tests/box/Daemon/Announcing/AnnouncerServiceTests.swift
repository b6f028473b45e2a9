import Foundation
import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

@Suite("The announcer's service", .timeLimit(.minutes(10)))
struct AnnouncerServiceTests {
    private let folder: TemporaryFolder
    private let sink = RecordingSink()
    private let inbox = TemporaryInbox()
    private let state = BoxState(volume: Volume(100))
    private let requests = AnnouncerRequests()
    /// One entry for every announcement that is recorded.
    private let recorded = Journal<Void>()
    private let heard = Journal<Prompt>()

    init() throws { folder = try TemporaryFolder() }

    /// A voice in the test's own folder, to be damaged. Nothing of it is in memory.
    private func ownVoice() throws -> Voice {
        try FileManager.default.copyItem(atPath: "\(shippedSounds)/zh-CN", toPath: folder.file("zh-CN"))
        return try VoiceFolder(path: folder.path).voice("zh-CN")
    }

    private func withService(
        hurryAbove: Int? = nil, quietHours: QuietHours? = nil, voice: Voice? = nil,
        checkInterval: Duration = .seconds(86_400), checksElsewhere: @escaping @Sendable () -> Void = {},
        _ body: @Sendable @escaping (AnnouncerService) async throws -> Void
    ) async throws {
        let voice = try voice ?? Voice.shipped()
        let service = AnnouncerService(
            announcer: Announcer(
                freshness: FreshnessPolicy(expireAfter: .seconds(600)), hurryAbove: hurryAbove),
            inbox: inbox, clock: BoxClock(newestKnown: nil),
            player: Player(sink: sink, voices: Voices(first: voice), volume: Volume(100)),
            voices: Voices(first: voice), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, requests: requests,
            quietTime: QuietTime(
                quietHours,
                day: ShopDay(clock: TestMachine(isSynchronised: true).clock(), history: inbox) {
                    BusinessCalendar(zone: LocalTime { _ in 8 * 3600 })
                }),
            delegate: AnnouncerHooks(
                receipts: { [recorded] in recorded.append(()) }, heardPrompt: { [heard] in heard.append($0) },
                checks: checksElsewhere), checkInterval: checkInterval)
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            try await body(service)
            group.cancelAll()
        }
    }

    private func arrive(_ amounts: [String]) throws {
        let notices = try amounts.enumerated().map { index, amount in
            Arrival.notice(PaymentNotice(id: try PaymentID("T\(index)"), money: try Money(amount, .CNY)))
        }
        _ = try inbox.store(notices, at: .now)
    }

    private func frames(_ announcement: [UInt8]) -> Int { announcement.count / 2 }

    @Test("A recording that cannot be read any more costs its words and not the payment, and is told of")
    func recordingLost() async throws {
        try await withService(voice: ownVoice()) { _ in
            // 七 and every phrase with it are gone: the amount cannot be told, that money came can.
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("zh-CN"))
            where name.contains("qi1") {
                try FileManager.default.removeItem(atPath: folder.file("zh-CN/\(name)"))
            }
            try arrive(["7", "8"])
            requests.inboxChanged()
            for _ in 1...2 { try await recorded.next() }
            #expect(sink.announcements.count == 2)
            #expect(state.snapshot.unavailableRecordings?.contains("No such file or directory") == true)
            #expect(!state.snapshot.faults.isEmpty)
            #expect(try inbox.counts().announced == 2)
            let audibilities = try inbox.receipts(after: 0, limit: 9).compactMap {
                try JSONValue(parsing: $0.payload)["how"]?.string
            }
            #expect(audibilities == ["without_amount", "aloud"])
        }
    }

    @Test("What sounds while a live payment waits is known as no delay of the box's")
    func soundedBefore() async throws {
        try await withService { service in
            let id = try PaymentID("waiting")
            _ = service.ages.record(id, FeedMessage(topic: .payments, payload: [], isLive: true))
            try arrive(["8"])
            requests.inboxChanged()
            try await recorded.next()
            #expect(try #require(service.ages.of([id])[id]).behindSentences > .zero)
        }
    }

    @Test("Whatever else is to be looked after is, while a payment is spoken and afterwards")
    func checksElsewhere() async throws {
        let looks = Journal<Void>()
        try await withService(checkInterval: .milliseconds(5), checksElsewhere: { looks.append(()) }) { service in
            try arrive(["8"])
            requests.inboxChanged()
            for _ in 1...2 { try await looks.next() }
            try await recorded.next()
            for _ in 1...2 { try await looks.next() }
        }
    }

    @Test("A damaged recording that the start has left unproven is known before it is needed")
    func proved() async throws {
        let voice = try ownVoice()
        let file = folder.file("zh-CN/er4-shi2-san1.opus")
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: file))
        try await withService(voice: voice.readyToSpeak().voice) { [state] _ in
            for await snapshot in state.changes() where snapshot.unusableRecordings == 1 { break }
        }
    }

    @Test("With the voice's folder away a payment is told without its amount; with the folder back, with it")
    func folderAway() async throws {
        let away = folder.file("away")
        var voice = try ownVoice()
        voice.holdReserve()
        try await withService(voice: voice) { _ in
            try FileManager.default.moveItem(atPath: folder.file("zh-CN"), toPath: away)
            try arrive(["8"])
            requests.inboxChanged()
            try await recorded.next()
            #expect(state.snapshot.unavailableRecordings != nil)
            // Chime and words: an announcement of the chime alone would be shorter than 1.25 seconds.
            #expect(frames(try #require(sink.announcements.first)) > 60_000)

            try FileManager.default.moveItem(atPath: away, toPath: folder.file("zh-CN"))
            _ = try inbox.store(
                [.notice(PaymentNotice(id: try PaymentID("again"), money: try Money("8", .CNY)))], at: .now)
            requests.inboxChanged()
            try await recorded.next()
            let announcements = sink.announcements
            #expect(announcements.count == 2 && announcements[0] != announcements[1])
            let whole = try await alone(.payment(Money("8", .CNY), channel: nil))
            #expect(announcements[1] == whole)
        }
    }

    @Test("With nothing left to play, not even the chime, a payment waits, and is announced when there is something")
    func nothingToPlay() async throws {
        let voice = try ownVoice()
        let away = folder.file("away")
        try FileManager.default.moveItem(atPath: folder.file("zh-CN"), toPath: away)
        try await withService(voice: voice) { service in
            try arrive(["8"])
            requests.inboxChanged()
            for await snapshot in state.changes() where snapshot.speechFault != nil { break }
            #expect(try inbox.counts().announced == 0)
            #expect(recorded.entries.isEmpty)
            try FileManager.default.moveItem(atPath: away, toPath: folder.file("zh-CN"))
            try await recorded.next()
            #expect(state.snapshot.speechFault == nil)
            let whole = try await alone(.payment(Money("8", .CNY), channel: nil))
            #expect(sink.announcements == [whole])
        }
    }

    /// What is written for it with every recording there.
    private func alone(_ utterance: Utterance) async throws -> [UInt8] {
        let sink = RecordingSink()
        let voice = try Voice.shipped()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        try await player.play(voice.writer.script(for: utterance))
        return try #require(sink.announcements.first)
    }

    @Test("A sound card that fails in the middle gets the announcement again from its start")
    func interrupted() async throws {
        try await withService { service in
            sink.fail(
                .write, with: .writeFailed(device: "x", reason: "it was unplugged"), callsBefore: 40)
            try arrive(["8", "8"])
            requests.inboxChanged()
            for _ in 1...2 { try await recorded.next() }
            let announcements = sink.announcements
            #expect(announcements.count == 2)
            #expect(announcements[0] == announcements[1])
            #expect(state.snapshot.audioFault == nil)
        }
    }

    @Test(
        "A card that is lost in the middle and comes back with another rate gets the announcement whole, at that rate")
    func anotherRate() async throws {
        try await withService { service in
            sink.fail(
                .write, with: .writeFailed(device: "x", reason: "it was unplugged"), callsBefore: 40)
            let absent = AudioSinkError.unavailable(device: "x", reason: "no such device")
            sink.fail(.open, with: absent, times: .max, callsBefore: 2)
            try arrive(["8", "8"])
            requests.inboxChanged()
            while state.snapshot.audioFault == nil { await Task.yield() }
            #expect(state.snapshot.device == nil)
            sink.replaceDevice(
                with: PCMFormat(sampleRate: 44_100, channelCount: 2, encoding: .int16, framesPerPeriod: 882))
            sink.fail(.open, with: absent, callsBefore: .max)
            for _ in 1...2 { try await recorded.next() }
            let announcements = sink.announcements
            #expect(announcements.count == 2)
            #expect(announcements[0] == announcements[1])
            #expect(state.snapshot.device?.format.sampleRate == 44_100)
        }
    }

    @Test("An idle box knows that its card was pulled out, and that it is back, without any payment")
    func idleCard() async throws {
        try await withService(checkInterval: .milliseconds(5)) { _ in
            for await snapshot in state.changes() where snapshot.device != nil { break }
            for _ in 1...2 {
                sink.unplug()
                for await snapshot in state.changes() where snapshot.audioFault != nil { break }
                #expect(!sink.isOpen && state.snapshot.device == nil)
                sink.plug()
                for await snapshot in state.changes() where snapshot.audioFault == nil { break }
                #expect(sink.isOpen && state.snapshot.device != nil)
            }
            #expect(sink.announcements.isEmpty)
        }
    }

    @Test("A card that comes after the start is opened when it is there, and the fault goes without any payment")
    func lateCard() async throws {
        sink.unplug()
        try await withService(checkInterval: .milliseconds(5)) { _ in
            for await snapshot in state.changes() where snapshot.audioFault != nil { break }
            sink.plug()
            for await snapshot in state.changes() where snapshot.audioFault == nil { break }
            #expect(sink.isOpen && sink.announcements.isEmpty)
        }
    }

    @Test("While too many wait, they are spoken without chime; the last ones have theirs again")
    func hurry() async throws {
        try await withService(hurryAbove: 2) { service in
            try arrive(["8", "8", "8", "8"])
            requests.inboxChanged()
            for _ in 1...4 { try await recorded.next() }
            let lengths = sink.announcements.map(frames)
            #expect(lengths.count == 4)
            #expect(lengths[0] == lengths[1] && lengths[2] == lengths[3])
            #expect(lengths[2] - lengths[0] > 48 * 800)
        }
    }

    @Test("In quiet hours the volume is held down", arguments: [true, false])
    func quiet(isQuiet: Bool) async throws {
        let hours = isQuiet ? QuietHours(start: 720, end: 721, volume: 0) : QuietHours(start: 721, end: 720, volume: 0)
        try await withService(quietHours: hours) { service in
            try arrive(["8"])
            requests.inboxChanged()
            try await recorded.next()
            #expect(sink.announcements.first?.allSatisfy { $0 == 0 } == isQuiet)
        }
    }

    @Test("A prompt is spoken without chime, audible also at volume 0, and nothing is recorded of it")
    func prompt() async throws {
        try await withService { service in
            requests.say(.volumeMinimum)
            while sink.announcements.isEmpty { await Task.yield() }
            #expect(sink.announcements.first?.contains { $0 != 0 } == true)
            #expect(recorded.entries.isEmpty)
        }
    }

    @Test("A prompt that was played to a muted box was not heard")
    func promptUnheard() async throws {
        try await withService { service in
            let player = await service.player
            player.isMuted = true
            requests.say(.unprovisionWarning)
            while sink.announcements.isEmpty { await Task.yield() }
            player.isMuted = false
            requests.say(.networkLost)
            _ = try await heard.next()
            #expect(heard.entries == [.networkLost])
        }
    }
}
