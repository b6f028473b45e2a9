import SoundboxBox
import SoundboxCore
import Testing

/// Roads that many tests of the announcer take.
extension Announcer {
    /// One that tells late payments in a summary after ten minutes.
    static var plain: Announcer { Announcer(freshness: FreshnessPolicy(expireAfter: .seconds(600))) }

    /// Brings the announcer to where it plays `entry`.
    mutating func startPlaying(_ entry: InboxEntry) {
        #expect(handle(.somethingMayWait) == [.fetch(limit: 1)])
        begin(entry)
    }

    /// From the answer to a fetch on.
    mutating func begin(_ entry: InboxEntry) {
        #expect(handle(.fetched(.of([entry]), Entries.moment)) == [.prepare])
        #expect(handle(.prepared) == [.note([entry])])
        #expect(handle(.noted) == [.play(.init(.notice(entry)))])
    }
}
