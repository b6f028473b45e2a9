import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("How an announcement is to sound")
struct AnnouncerDeliveryTests {
    private let noon = Entries.moment

    private func moment(quiet volume: Int?) -> Announcer.Moment {
        Announcer.Moment(clock: ClockReading(Entries.noon), quietVolume: volume.map { Volume($0) })
    }

    private func announcer(hurryAbove: Int? = nil) -> Announcer {
        Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600)), hurryAbove: hurryAbove)
    }

    /// What comes first where just this waits.
    private func first(
        of queue: Announcer.Queue, quiet volume: Int? = nil, hurryAbove: Int? = nil
    ) throws -> Announcer.Announcement {
        var announcer = announcer(hurryAbove: hurryAbove)
        var asked = Announcer.Asked()
        let reading = Announcer.Reading(queue: queue, limit: 10_000, moment: moment(quiet: volume))
        guard case .announce(let announcement) = announcer.next(reading, &asked, at: .zero) else {
            throw Failure.nothingIsAnnounced
        }
        return announcement
    }

    private enum Failure: Error { case nothingIsAnnounced }

    private func notices(_ count: Int) throws -> Announcer.Queue {
        .of(try (0..<count).map { try Entries.entry(Int64($0) + 1) })
    }

    @Test(
        "While more notices wait than it was told, they are spoken without chime and with a short gap",
        arguments: [(nil, 9, false), (1, 1, false), (1, 2, true), (5, 5, false), (5, 6, true)] as [(Int?, Int, Bool)])
    func hurry(above: Int?, waiting: Int, isInAHurry: Bool) throws {
        let delivery = try first(of: notices(waiting), hurryAbove: above).delivery
        #expect(delivery.hasChime != isInAHurry)
        #expect(delivery.gap == (isInAHurry ? .milliseconds(200) : nil))
    }

    @Test("As many are read as show whether too many wait", arguments: [(nil, 1), (1, 2), (5, 6)] as [(Int?, Int)])
    func limit(above: Int?, limit: Int) {
        var announcer = announcer(hurryAbove: above)
        var asked = Announcer.Asked(inboxChanged: true)
        #expect(announcer.next(nil, &asked, at: .zero) == .read(limit: limit))
    }

    @Test("A hurried announcement without a word has its chime nevertheless; a replay and a prompt never have one")
    func chimeAlone() throws {
        let hurried = try first(of: notices(2), hurryAbove: 1).delivery
        #expect(!hurried.fitted(toWords: true).hasChime)
        #expect(hurried.fitted(toWords: false).hasChime)
        for job in [Announcer.Job.replay(try Entries.entry(1)), .prompt(.greeting)] {
            let delivery = announcer().announcement(of: job, at: noon).delivery
            #expect(!delivery.fitted(toWords: true).hasChime && !delivery.fitted(toWords: false).hasChime)
        }
    }

    @Test("A code for a phone has no chime, since no money came, and is never too soft to be heard")
    func signInCode() {
        let announcement = announcer().announcement(of: .signInCode(SignInCode()), at: noon)
        #expect(announcement.job.isAnswer)
        #expect(!announcement.delivery.fitted(toWords: true).hasChime)
        #expect(!announcement.delivery.fitted(toWords: false).hasChime)
        #expect(announcement.delivery.loudness == Volume(30)...Volume(100))
    }

    @Test("A code is said once more, but never before a payment, and another one takes its place")
    func repeatedSignInCode() async throws {
        let asked = Announcer.AskedCode(SignInCode(), askedAt: .zero)
        let again = Announcer.AskedCode(asked.code, askedAt: .zero, isRepetition: true)
        let other = Announcer.AskedCode(SignInCode(), askedAt: .seconds(9))
        let script = AnnouncerScript { $0.play(.signInCode(asked)) }
        func expectCode(_ code: Announcer.AskedCode, asks: @escaping AnnouncerScript.Asks = { _ in }) {
            let job = Announcer.Job.signInCode(code.code)
            script.expect(.lookUp(.signInCode(code)), .job(job, noon))
            script.expect(
                .play(Announcer.plain.announcement(of: job)), .outcome(.played(.aloud)), asks: asks)
        }
        expectCode(asked)
        expectCode(again)
        script.expect(.rest) { $0.play(.signInCode(asked)) }
        // A payment has come while it was said.
        expectCode(asked) { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        expectCode(again) { $0.play(.signInCode(other)) }
        expectCode(other) { $0.stop() }
        await script.run(stops: true)
    }

    @Test("A code that payments have kept waiting for more than a minute is not said, and they go on")
    func lateSignInCode() async throws {
        let asked = Announcer.AskedCode(SignInCode(), askedAt: .seconds(1000))
        #expect(asked.isDue(at: .seconds(1060)) && !asked.isDue(at: .milliseconds(1_060_001)))
        let script = AnnouncerScript { $0.play(.signInCode(asked)) }
        script.expect(.lookUp(.signInCode(asked)), .job(nil, noon)) { $0.inboxChanged() }
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("Quiet hours hold the volume down, for payments, answers and rings", arguments: [nil, 30])
    func quiet(volume: Int?) throws {
        let expected = Volume(0)...Volume(volume ?? 100)
        #expect(try first(of: notices(1), quiet: volume).delivery.loudness == expected)
        for job in [Announcer.Job.replay(nil), .today(Entries.nothing), .ring(try .ring(1), .words("一"))] {
            #expect(announcer().announcement(of: job, at: moment(quiet: volume)).delivery.loudness == expected)
        }
    }

    @Test("A prompt is to be heard also by whoever has turned the volume down")
    func prompt() {
        let announcement = announcer().announcement(of: .prompt(.volumeMinimum))
        #expect(announcement.delivery.loudness == Volume(30)...Volume(100))
    }

    @Test(
        "That a payment was refused is no louder than a payment, in quiet hours too, also behind another prompt",
        arguments: [nil, 30])
    func refusal(volume: Int?) throws {
        var announcer = announcer()
        var asked = Announcer.Asked()
        asked.prompts.put(.paymentUnreadable)
        asked.prompts.put(.storageFault)
        let fault = announcer.announcement(of: .prompt(.storageFault))
        #expect(announcer.next(nil, &asked, at: .zero) == .say(fault))
        #expect(announcer.next(nil, &asked, at: .zero) == .read(limit: 1))
        let reading = Announcer.Reading(queue: .of([]), limit: 1, moment: moment(quiet: volume))
        let expected = Announcer.Announcement(
            .prompt(.paymentUnreadable),
            Delivery(hasChime: false, gap: .milliseconds(200), loudness: Volume(0)...Volume(volume ?? 100)))
        #expect(announcer.next(reading, &asked, at: .zero) == .say(expected))
    }

    @Test("What is no payment and no refund never has the chime, whether anybody is in a hurry or not")
    func kinds() throws {
        let notice = try Entries.entry(1, kind: .other(#require(KindName("deposit"))))
        let queues: [Announcer.Queue] = [.of([notice]), .of([], says: [try .ready(1)])]
        for queue in queues {
            for hurry in [nil, 0] {
                let delivery = try first(of: queue, hurryAbove: hurry).delivery
                #expect(!delivery.fitted(toWords: true).hasChime && !delivery.fitted(toWords: false).hasChime)
            }
        }
    }

    @Test("A summary and the payments of the day have the chime")
    func others() throws {
        let late = [try Entries.entry(1, age: .seconds(601))]
        #expect(try first(of: .of(late)) == .init(.summary(late)))
        #expect(announcer().announcement(of: .today(Entries.nothing), at: noon) == .init(.today(Entries.nothing)))
    }
}
