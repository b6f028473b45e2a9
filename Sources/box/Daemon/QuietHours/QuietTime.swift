import SoundboxCore
import SoundboxSystem
import Synchronization

/// Stores the quiet hours that the shop has set.
package struct OwnQuietHours: Sendable {
    package var own: QuietChange?
    /// Stores new ones, or removes them with `nil`. May block.
    package var keep: @Sendable (QuietChange?) throws -> Void

    package init(own: QuietChange?, keep: @escaping @Sendable (QuietChange?) throws -> Void) {
        self.own = own
        self.keep = keep
    }

    package static let none = OwnQuietHours(own: nil) { _ in }
}

/// The quiet hours in force: the shop's own if it has set some, otherwise those of the setup. Any thread. Only changes
/// block, and ``volumeNow`` may, on the calendar's file.
package final class QuietTime: Sendable {
    private struct Content {
        let configured: QuietHours?
        /// `nil` if the shop uses those of the setup.
        var own: QuietChange?
    }

    private let content: Mutex<Content>
    private let day: ShopDay?
    private let keep: @Sendable (QuietChange?) throws -> Void
    private let state: BoxState?
    private let executor: ThreadExecutor

    /// - Parameters:
    ///   - state: notified of changes.
    ///   - executor: a thread that may block, for changes from the control socket.
    ///   - keep: stores the shop's own, or removes what was stored. May block.
    ///   - day: the current time; without it there are no quiet hours.
    package init(
        _ configured: QuietHours? = nil, own: QuietChange? = nil,
        day: ShopDay? = nil, state: BoxState? = nil, executor: ThreadExecutor = ThreadExecutor(name: "files"),
        keep: @escaping @Sendable (QuietChange?) throws -> Void = { _ in }
    ) {
        content = Mutex(Content(configured: configured, own: own))
        self.day = day
        self.keep = keep
        self.state = state
        self.executor = executor
    }

    package var hours: QuietHours? { reading.hours }

    package var reading: QuietReading {
        content.withLock { content in
            switch content.own {
            case .hours(let hours)?: QuietReading(hours, isShops: true)
            case .off?: QuietReading(nil, isShops: true)
            case .asSetUp?, nil: QuietReading(content.configured, isShops: false)
            }
        }
    }

    /// The highest volume now, 0–100; `nil` outside of quiet hours.
    var volumeNow: Int? {
        // While the clock is not believed, a loud payment at night is better than one that nobody hears.
        guard let hours, let minute = day?.minuteOfDay, hours.contain(minute) else { return nil }
        return hours.volume
    }

    /// Stores the change before it takes effect, so that it survives a restart. Blocks on the disk.
    func change(to change: QuietChange) throws {
        let own: QuietChange? = change == .asSetUp ? nil : change
        try keep(own)
        content.withLock { $0.own = own }
        state?.inboxChanged()
    }
}

extension QuietTime: Feature {
    var routes: [ControlRoute] {
        [
            ControlRoute(.get, "quiet-hours", isForPhones: true) { _ in .json(self.reading.json) },
            ControlRoute(.put, "quiet-hours", isForPhones: true) { request in
                let change = try QuietChange(decoding: try JSONValue(parsing: request.body))
                let work = Task(executorPreference: self.executor) { try self.change(to: change) }
                do { try await work.value } catch {
                    throw ControlRefusal(.fault, "the quiet hours cannot be written down: \(error)")
                }
                return .json(self.reading.json)
            },
        ]
    }

    func fill(_ status: inout BoxStatus) {
        status.quietVolume = volumeNow
        let reading = reading
        status.shopQuietHours = reading.isShops ? reading.hours.map(\.json) ?? .null : nil
    }
}
