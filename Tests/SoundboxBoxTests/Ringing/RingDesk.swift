import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Synchronization
import TestSupport

@testable import SoundboxBox

/// A player that plays nothing, and tells what it was asked for.
final class FakeRingPlayer: RingPlayer {
    enum Call: Sendable, Equatable {
        case start(String, ClosedRange<Volume>)
        /// Something rang, and is silent now.
        case stop
    }

    private struct State {
        var isRinging = false
        var failure: PlayerError?
        var willStart: (@Sendable () -> Void)?
    }

    let calls = Journal<Call>()
    private let state = Mutex(State())

    /// From now on the card answers this; `nil` ends it.
    func fail(with failure: PlayerError?) { state.withLock { $0.failure = failure } }

    /// Called in the middle of the next start, before anything sounds.
    func onStart(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.willStart = body } }

    /// Somebody else has silenced it.
    func silenceByMistake() { state.withLock { $0.isRinging = false } }

    var isRinging: Bool { state.withLock { $0.isRinging } }

    func startRing(
        _ script: AnnouncementScript, loudness: ClosedRange<Volume>, failed: @escaping @Sendable (PlayerError) -> Void,
        began: @escaping @Sendable () -> Void
    ) {
        let (failure, willStart) = state.withLock { ($0.failure, $0.willStart.take()) }
        willStart?()
        state.withLock { $0.isRinging = failure == nil }
        calls.append(.start(script.text, loudness))
        if let failure { failed(failure) } else { began() }
    }

    func stopRing() {
        let rang = state.withLock { state in
            defer { state.isRinging = false }
            return state.isRinging
        }
        if rang { calls.append(.stop) }
    }
}

/// A book in memory whose disk may fail.
final class FakeBook: ErrandBook {
    private struct Contents {
        var rows: [ErrandEntry] = []
        var failure: InboxError?
        var count: Int64 = 0
    }

    let ends = Journal<String>()
    private let contents = Mutex(Contents())

    func fail(with failure: InboxError?) { contents.withLock { $0.failure = failure } }

    @discardableResult
    func add(_ errand: Errand, clock: ClockTrust = .confirmed, age: Duration = .zero) -> ErrandEntry {
        contents.withLock { contents in
            contents.count += 1
            let received = Timestamp.now.millisecondsSince1970 - Int64(age / .milliseconds(1))
            let entry = ErrandEntry(
                sequence: contents.count, errand: errand, receivedAt: Timestamp(millisecondsSince1970: received),
                clock: clock)
            contents.rows.append(entry)
            return entry
        }
    }

    /// As the commit of a cancel does.
    func cancel(_ id: CommandID) { contents.withLock { $0.rows.removeAll { $0.errand.id == id } } }

    func errands() throws(InboxError) -> [ErrandEntry] {
        try contents.withLock { contents throws(InboxError) in
            if let failure = contents.failure { throw failure }
            return contents.rows
        }
    }

    func markSounding(_ entry: ErrandEntry) throws(InboxError) -> Bool {
        try errands().contains { $0.sequence == entry.sequence }
    }

    func end(_ entry: ErrandEntry, as end: ErrandEnd, at now: Timestamp) throws(InboxError) -> Bool {
        let isThere = try contents.withLock { contents throws(InboxError) in
            if let failure = contents.failure { throw failure }
            let count = contents.rows.count
            contents.rows.removeAll { $0.sequence == entry.sequence }
            return contents.rows.count < count
        }
        if isThere { ends.append("\(entry.errand.id) \(end)") }
        return isThere
    }
}

/// A ringer's service with everything around it in memory.
struct RingDesk {
    /// What the service tells others.
    enum Told: Sendable, Equatable {
        case ringing(Bool)
        case missed
        case receipts
        case prepare(Int)
    }

    let player = FakeRingPlayer()
    let book = FakeBook()
    let state = BoxState(volume: Volume(80))
    let told = Journal<Told>()
    /// What is ready to be said.
    let words = Mutexed<[CommandID: String]>([:])

    func service(
        _ otherBook: (any ErrandBook)? = nil, quietHours: QuietHours? = nil, isClockRight: Bool = true
    ) -> RingService {
        RingService(
            book: otherBook ?? book,
            clock: BoxClock(newestKnown: nil) {
                BoxClock.Signs(now: .now, isSynchronised: isClockRight, offset: .zero)
            },
            player: player, quietTime: QuietTime(quietHours, minuteOfDay: { 0 }), state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            hooks: .init(
                receiptsAreWaiting: { [told] in told.append(.receipts) }, missed: { [told] in told.append(.missed) },
                ringChanged: { [told] in told.append(.ringing($0)) },
                prepare: { [told] in told.append(.prepare($0.count)) }),
            sound: { [words] entry in
                if case .tone = entry.errand.content { return AnnouncementScript(text: "", elements: []) }
                return words.value[entry.errand.id].map { AnnouncementScript(text: $0, elements: []) }
            })
    }

    /// Runs a service while `body` runs.
    func withService(
        quietHours: QuietHours? = nil, _ body: @Sendable @escaping (RingService) async throws -> Void
    ) async throws {
        let service = service(quietHours: quietHours)
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            try await told.next { $0 == .prepare(0) ? () : nil }
            try await body(service)
            group.cancelAll()
        }
    }

    static func ring(_ id: String, timeout: Duration = .seconds(600), _ content: Errand.Content = .tone) throws
        -> Errand
    {
        Errand(id: try CommandID(id), purpose: .ring(timeout: timeout), content: content, at: .now)
    }
}

/// A value that several threads read and write.
final class Mutexed<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
