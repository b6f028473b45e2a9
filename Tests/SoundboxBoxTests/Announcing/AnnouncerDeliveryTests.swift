import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("How an announcement is to sound")
struct AnnouncerDeliveryTests {
    private static let nights = QuietHours(start: 22 * 60, end: 7 * 60, volume: 30)

    private func moment(_ minute: Int) -> Announcer.Moment {
        Announcer.Moment(clock: ClockReading(Entries.noon), minuteOfDay: minute)
    }

    /// What is played in the end.
    private func played(
        _ events: [Announcer.Event], hurryAbove: Int? = nil, quietHours: QuietHours? = nil
    ) -> Announcer.Announcement? {
        var announcer = Announcer(
            freshness: FreshnessPolicy(expireAfter: .seconds(600)), hurryAbove: hurryAbove, quietHours: quietHours)
        var announcement: Announcer.Announcement?
        for event in events {
            for case .play(let asked) in announcer.handle(event) { announcement = asked }
        }
        return announcement
    }

    private func notices(_ count: Int, limit: Int, at minute: Int = 720) throws -> [Announcer.Event] {
        let entries = try (0..<count).prefix(limit).map { try Entries.entry(Int64($0) + 1) }
        return [.somethingMayWait, .fetched(.of(entries), moment(minute)), .prepared, .noted]
    }

    @Test(
        "While more notices wait than it was told, they are spoken without chime and with a short gap",
        arguments: [(nil, 9, false), (1, 1, false), (1, 2, true), (5, 5, false), (5, 6, true)] as [(Int?, Int, Bool)])
    func hurry(above: Int?, waiting: Int, isInAHurry: Bool) throws {
        let announcement = try played(notices(waiting, limit: (above ?? 0) + 1), hurryAbove: above)
        let delivery = try #require(announcement?.delivery)
        #expect(delivery.hasChime != isInAHurry)
        #expect(delivery.gap == (isInAHurry ? .milliseconds(200) : nil))
    }

    @Test("A hurried announcement without a word has its chime nevertheless; a replay and a prompt never have one")
    func chimeAlone() throws {
        let hurried = try #require(played(notices(2, limit: 2), hurryAbove: 1)?.delivery)
        #expect(!hurried.fitted(toWords: true).hasChime)
        #expect(hurried.fitted(toWords: false).hasChime)
        let replay = played([.requested(.last), .recalled(.announced(try Entries.entry(1)), moment(720))])
        let prompt = played([.promptRequested(.greeting)])
        for delivery in [try #require(replay?.delivery), try #require(prompt?.delivery)] {
            #expect(!delivery.fitted(toWords: true).hasChime && !delivery.fitted(toWords: false).hasChime)
        }
    }

    @Test("A code for a phone has no chime, since no money came, and is never too soft to be heard")
    func signInCode() throws {
        let code = SignInCode()
        let announcement = try #require(
            played([.requested(.signInCode(.init(code, askedAt: .zero))), .recalled(.signInCode(code), moment(720))]))
        #expect(announcement.job == .signInCode(code) && announcement.job.isAnswer)
        #expect(!announcement.delivery.fitted(toWords: true).hasChime)
        #expect(!announcement.delivery.fitted(toWords: false).hasChime)
        #expect(announcement.delivery.loudness == Volume(30)...Volume(100))
    }

    @Test("A code is said once more, but never before a payment, and another one takes its place")
    func repeatedSignInCode() throws {
        let asked = Announcer.AskedCode(SignInCode(), askedAt: .zero)
        let again = Announcer.AskedCode(asked.code, askedAt: .zero, isRepetition: true)
        func heard(_ asked: Announcer.AskedCode, _ announcer: inout Announcer) -> [Announcer.Action] {
            _ = announcer.handle(.recalled(.signInCode(asked.code), moment(720)))
            return announcer.handle(.played(.aloud))
        }
        var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
        _ = announcer.handle(.requested(.signInCode(asked)))
        #expect(heard(asked, &announcer) == [.recall(.signInCode(again))])
        #expect(heard(again, &announcer) == [])

        // A payment has come while it was said.
        let entry = try Entries.entry(1)
        _ = announcer.handle(.requested(.signInCode(asked)))
        _ = announcer.handle(.recalled(.signInCode(asked.code), moment(720)))
        _ = announcer.handle(.somethingMayWait)
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([entry]), moment(720))) == [.prepare])
        for event in [Announcer.Event.prepared, .noted, .played(.aloud)] { _ = announcer.handle(event) }
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), moment(720))) == [.recall(.signInCode(again))])
        let other = Announcer.AskedCode(SignInCode(), askedAt: .seconds(9))
        _ = announcer.handle(.recalled(.signInCode(asked.code), moment(720)))
        _ = announcer.handle(.requested(.signInCode(other)))
        #expect(announcer.handle(.played(.aloud)) == [.recall(.signInCode(other))])
    }

    @Test("A code that payments have kept waiting for more than a minute is not said, and they go on")
    func lateSignInCode() throws {
        let asked = Announcer.AskedCode(SignInCode(), askedAt: .seconds(1000))
        #expect(asked.isDue(at: .seconds(1060)) && !asked.isDue(at: .milliseconds(1_060_001)))
        var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)))
        #expect(announcer.handle(.requested(.signInCode(asked))) == [.recall(.signInCode(asked))])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.recalled(.signInCode(nil), moment(720))) == [.fetch(limit: 1)])
    }

    @Test("A payment that somebody chose is repeated in the words of a repetition")
    func chosen() throws {
        let entry = try Entries.entry(7)
        let announcement = played([.requested(.notice(entry)), .recalled(.announced(entry), moment(720))])
        #expect(announcement?.job == .replay(entry))
    }

    @Test(
        "Quiet hours hold the volume down, for payments and for answers",
        arguments: [(1319, false), (1320, true), (0, true), (419, true), (420, false)])
    func quiet(minute: Int, isQuiet: Bool) throws {
        let expected = Volume(0)...Volume(isQuiet ? 30 : 100)
        let roads: [[Announcer.Event]] = [
            try notices(1, limit: 1, at: minute),
            [.requested(.last), .recalled(.announced(nil), moment(minute))],
            [.requested(.today), .recalled(.takings(Entries.nothing), moment(minute))],
        ]
        for events in roads {
            #expect(played(events, quietHours: Self.nights)?.delivery.loudness == expected)
            #expect(played(events)?.delivery.loudness == Volume(0)...Volume(100))
        }
    }

    @Test("Quiet hours that begin while the card is away count when it is back")
    func quietAfterWait() throws {
        let entry = try Entries.entry(1)
        let announcement = played(
            try notices(1, limit: 1) + [.playFailed, .waited, .fetched(.of([entry]), moment(1380)), .prepared, .noted],
            quietHours: Self.nights)
        #expect(announcement == .init(.notice(entry), Delivery(loudness: Volume(0)...Volume(30))))
    }

    @Test("A prompt is to be heard also by whoever has turned the volume down")
    func prompt() {
        #expect(
            played([.promptRequested(.volumeMinimum)], quietHours: Self.nights)?.delivery.loudness
                == Volume(30)...Volume(100))
    }

    @Test(
        "That a payment was refused is no louder than a payment, in quiet hours too",
        arguments: [(720, 100), (1380, 30)])
    func refusal(minute: Int, most: Int) {
        let delivery = played(
            [.promptRequested(.paymentUnreadable), .fetched(.of([]), moment(minute))], quietHours: Self.nights)?
            .delivery
        #expect(delivery?.loudness == Volume(0)...Volume(most))
        #expect(delivery?.hasChime == false)
    }

    @Test("In quiet hours a refusal that waited behind another prompt is soft, too")
    func refusalBehindPrompt() {
        let announcement = played(
            [
                .promptRequested(.paymentUnreadable), .promptRequested(.storageFault), .fetched(.of([]), moment(1380)),
                .played(.aloud), .fetched(.of([]), moment(1380)),
            ], quietHours: Self.nights)
        #expect(announcement?.job == .prompt(.paymentUnreadable))
        #expect(announcement?.delivery.loudness == Volume(0)...Volume(30))
    }

    @Test("What is no payment and no refund never has the chime, whether anybody is in a hurry or not")
    func kinds() throws {
        let notice = try Entries.entry(1, kind: .other(#require(KindName("deposit"))))
        let queues: [Announcer.Queue] = [.of([notice]), .of([], says: [try .ready(1)])]
        for queue in queues {
            for hurry in [nil, 0] {
                let events: [Announcer.Event] = [.somethingMayWait, .fetched(queue, moment(720)), .prepared, .noted]
                let delivery = try #require(played(events, hurryAbove: hurry)?.delivery)
                #expect(!delivery.fitted(toWords: true).hasChime && !delivery.fitted(toWords: false).hasChime)
            }
        }
    }

    @Test("A summary and the payments of the day have the chime")
    func others() throws {
        let stale = [try Entries.entry(1, age: .seconds(601))]
        let summary = played([
            .somethingMayWait, .fetched(.of(stale), moment(720)), .fetched(.of(stale), moment(720)), .prepared, .noted,
        ])
        #expect(summary == .init(.summary(stale)))
        #expect(
            played([.requested(.today), .recalled(.takings(Entries.nothing), moment(720))])
                == .init(.today(Entries.nothing)))
    }
}
