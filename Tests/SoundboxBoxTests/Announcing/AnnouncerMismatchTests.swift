import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("Answers that do not fit what the announcer is doing")
struct AnnouncerMismatchTests {
    private static let noon = Entries.moment

    /// Every answer that there is.
    private static func answers() throws -> [Announcer.Event] {
        [
            .fetched(.of([try Entries.entry(7)]), noon), .recalled(.announced(nil), noon),
            .recalled(.takings(Entries.nothing), noon), .recalled(.network(isOnline: true, address: []), noon), .looked,
            .prepared,
            .noted, .withdrawn(rest: []), .played(.aloud), .saidOtherwise(reason: "x"), .stoppedEarly, .playFailed,
            .recorded, .inboxFailed, .waited,
        ]
    }

    /// How the announcer comes to each of its states, what fits there, and what is asked for after anything else.
    private static func states() throws -> [(road: [Announcer.Event], fits: [String], next: [Announcer.Action])] {
        let entry = try Entries.entry(1)
        let stale = try Entries.entry(1, age: .seconds(601))
        let fetched: [Announcer.Event] = [.somethingMayWait, .fetched(.of([entry]), noon)]
        let expiring: [Announcer.Event] = [
            .somethingMayWait, .fetched(.of([stale]), noon), .fetched(.of([stale]), noon),
        ]
        let saying: [Announcer.Event] = [.somethingMayWait, .fetched(.of([], says: [try .ready(1)]), noon)]
        let deviceWait = Announcer.Action.wait(.milliseconds(500))
        let diskWait = Announcer.Action.wait(.seconds(1))
        return [
            ([], [], []), ([.lookDue], ["looked"], []), ([.somethingMayWait], ["fetched", "inboxFailed"], [diskWait]),
            ([.somethingMayWait, .fetched(.of([]), noon), .requested(.last)], ["announced", "inboxFailed"], []),
            ([.requested(.today)], ["takings", "inboxFailed"], []),
            ([.requested(.network)], ["network", "inboxFailed"], []),
            (fetched, ["prepared", "playFailed"], [deviceWait]),
            (fetched + [.prepared], ["noted", "withdrawn", "inboxFailed"], [deviceWait]),
            (fetched + [.prepared, .noted], ["played", "playFailed", "stoppedEarly", "withdrawn"], [deviceWait]),
            (fetched + [.prepared, .noted, .played(.aloud)], ["recorded", "inboxFailed"], [diskWait]),
            (fetched + [.playFailed], ["waited"], []), ([.somethingMayWait, .inboxFailed], ["waited"], []),
            ([.promptRequested(.greeting)], ["played", "playFailed"], []),
            (
                [.somethingMayWait, .inboxFailed, .promptRequested(.storageFault)], ["played", "playFailed", "waited"],
                []
            ),
            (expiring, ["recorded", "inboxFailed"], [diskWait]), (saying, ["prepared", "playFailed"], [deviceWait]),
            (saying + [.prepared], ["noted", "withdrawn", "inboxFailed"], [deviceWait]),
            (
                saying + [.prepared, .noted],
                ["played", "playFailed", "saidOtherwise", "stoppedEarly", "withdrawn"], [deviceWait]
            ), (saying + [.prepared, .noted, .played(.aloud)], ["recorded", "inboxFailed"], [diskWait]),
        ]
    }

    /// A recollection fits by what was found.
    private static func fits(_ answer: Announcer.Event, _ names: [String]) -> Bool {
        names.contains { "\(answer)".hasPrefix($0) || "\(answer)".contains("Recollection.\($0)") }
    }

    private func announcer(after road: [Announcer.Event]) -> Announcer {
        var announcer = Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600), late: .silent))
        for event in road { _ = announcer.handle(event) }
        return announcer
    }

    @Test("Each is reported, and what was outstanding counts as failed")
    func reported() throws {
        for (road, fits, next) in try Self.states() {
            for answer in try Self.answers() where !Self.fits(answer, fits) {
                var announcer = announcer(after: road)
                let actions = announcer.handle(answer)
                guard case .report(let mismatch)? = actions.first else {
                    Issue.record("\(answer) after \(road): \(actions)")
                    continue
                }
                #expect(mismatch.description.hasPrefix("the announcer was told \""))
                // A timer answers nothing, so that the answer is still to come.
                #expect(Array(actions.dropFirst()) == (answer == .waited ? [] : next), "\(answer) after \(road)")
            }
        }
    }

    @Test("An answer that fits is not reported")
    func fitting() throws {
        for (road, fits, _) in try Self.states() {
            for answer in try Self.answers() where Self.fits(answer, fits) {
                var announcer = announcer(after: road)
                for case .report(let mismatch) in announcer.handle(answer) { Issue.record("\(mismatch)") }
            }
        }
    }

    @Test("A payment whose playing was answered with nonsense is fetched and spoken once more")
    func spokenAgain() throws {
        let entry = try Entries.entry(1)
        var announcer = announcer(after: [.somethingMayWait, .fetched(.of([entry]), Self.noon), .prepared, .noted])
        #expect(
            announcer.handle(.recorded) == [
                .report(.init(answer: "recorded", activity: "playing")), .wait(.milliseconds(500)),
            ])
        #expect(announcer.handle(.waited) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([entry]), Self.noon)) == [.prepare])
    }

    @Test("What was heard is not spoken again, even when the answer to its record was nonsense")
    func heardOnce() throws {
        let entry = try Entries.entry(1)
        var announcer = announcer(after: [
            .somethingMayWait, .fetched(.of([entry]), Self.noon), .prepared, .noted, .played(.aloud),
        ])
        _ = announcer.handle(.withdrawn(rest: []))
        #expect(announcer.handle(.waited) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }
}
