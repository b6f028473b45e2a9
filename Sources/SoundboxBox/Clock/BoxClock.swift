import SoundboxCore
import SoundboxSystem
import Synchronization

/// The wall clock, and whether it can be believed. A small board without a clock battery starts in the past, and learns
/// the time only from a server.
package final class BoxClock: Sendable {
    /// What the clock is judged by.
    package struct Signs: Sendable, Equatable {
        var now: Timestamp
        var isSynchronised: Bool
        /// Wall clock minus time since boot.
        var offset: Duration
    }

    /// Nobody can have run this program before this time.
    static let beginning = Timestamp(millisecondsSince1970: 1_735_689_600_000)
    /// From here on, 15 years after this release, the clock is wrong, whoever set it. A GPS receiver that loses count
    /// of its weeks is 19.6 years ahead (1,024 weeks); a clock register filled with ones is ahead by 60 years or more.
    static let end = Timestamp(millisecondsSince1970: 2_240_611_200_000)
    /// A smaller step does not make news old.
    static let smallestJump = Duration.seconds(60)

    private let hasBattery: Bool
    private let earliest: Timestamp
    private let signs: @Sendable () -> Signs
    private let lastOffset: Mutex<Duration>

    /// - Parameters:
    ///   - newestKnown: the newest time that the inbox remembers; a clock that is behind it is wrong.
    ///   - hasBattery: the clock was set from a battery clock when the system started.
    package init(
        newestKnown: Timestamp?, hasBattery: Bool = SystemClock.wasSetFromBattery,
        signs: @escaping @Sendable () -> Signs = {
            Signs(now: .now, isSynchronised: SystemClock.isSynchronised, offset: SystemClock.offsetFromBoot)
        }
    ) {
        self.hasBattery = hasBattery
        // Times that were noted under such a clock are no measure for the right one.
        let newest = newestKnown.flatMap { $0 < Self.end ? $0 : nil }
        earliest = max(newest ?? Self.beginning, Self.beginning)
        self.signs = signs
        lastOffset = Mutex(signs().offset)
    }

    /// The time; `nil` while it cannot be believed. Never blocks; any thread.
    var timeIfSet: Timestamp? {
        let signs = signs()
        guard signs.now < Self.end else { return nil }
        return signs.isSynchronised || hasBattery || signs.now >= earliest ? signs.now : nil
    }

    /// Why the clock cannot be right, in words for people; `nil` when it can. Never blocks; any thread.
    ///
    /// A clock that has not been set yet is no fault: it comes right when the network does.
    var fault: String? {
        let now = signs().now
        // The year alone, so that the fault stays the same one.
        return now < Self.end
            ? nil
            : "the clock shows the year \(now.description.prefix(4)), which cannot be; set it with timedatectl, and look "
                + "at the time server"
    }

    /// Whether the clock was set forward by a minute or more since this was last asked: what arrived before then seems
    /// older than it is. Never blocks; any thread.
    func hasJumpedForward() -> Bool {
        let offset = signs().offset
        return lastOffset.withLock { last in
            defer { last = offset }
            return offset - last >= Self.smallestJump
        }
    }
}
