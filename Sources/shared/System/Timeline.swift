import Synchronization

/// Measures when the steps between a payment's arrival and its first sound are reached.
///
///     Timeline.shared.mark(.packetRead)
///     if let line = Timeline.shared.takeSteps() { print(line) }  // packetRead 0, commitBegun 105, …
///
/// Off unless the log's level is `trace`; then ``mark(_:)`` is one check. On, it stores one number: it allocates
/// nothing, never blocks, and may be called on the sound thread. The player's caller writes the line, after the last
/// frame.
///
/// The last time of each step counts. A payment that comes while another one plays is reported with its own sound, if
/// nothing else has come since.
public final class Timeline: Sendable {
    /// The box's timeline.
    public static let shared = Timeline()

    /// In the order in which a payment reaches them when the box is idle.
    public enum Step: Int, Sendable, CaseIterable {
        case packetRead, commitBegun, commitEnded
        case announcerWoken, cardOpened, scriptWritten, playBegun
        /// The first period; it is written at once.
        case periodMixed
        /// The device has taken it.
        case writeEnded

        /// Reached on the feed's thread, whatever the announcer does meanwhile.
        fileprivate var isOfArrival: Bool { rawValue <= Step.commitEnded.rawValue }
    }

    private final class Moment: Sendable {
        /// In nanoseconds of `Duration.monotonicNow`; 0 when it was not reached.
        let time = Atomic<Int64>(0)
    }

    private let isOn = Atomic(false)
    private let moments = Step.allCases.map { _ in Moment() }

    public init() {}

    /// Starts measuring. Call it before the threads start that call ``mark(_:)``.
    public func begin() {
        for moment in moments { moment.time.store(0, ordering: .relaxed) }
        isOn.store(true, ordering: .releasing)
    }

    /// The step is reached now. Any thread; never blocks, allocates nothing.
    @inline(__always)
    public func mark(_ step: Step) {
        if isOn.load(ordering: .acquiring) { record(step) }
    }

    private func record(_ step: Step) {
        moments[step.rawValue].time.store(Duration.monotonicNow.nanoseconds, ordering: .relaxed)
    }

    /// The steps since the last call, in order: `packetRead 0, commitBegun 105, …`, in microseconds since the first.
    /// - Returns: `nil` when measuring is off, or no sound was written.
    public func takeSteps() -> String? {
        guard isOn.load(ordering: .acquiring) else { return nil }
        let end = moments[Step.writeEnded.rawValue].time.load(ordering: .relaxed)
        guard end != 0 else { return nil }
        let reached = Step.allCases.compactMap { step -> (step: Step, time: Int64)? in
            let moment = moments[step.rawValue]
            let time = moment.time.load(ordering: .relaxed)
            // It belongs to another payment, which has come since.
            guard time != 0, time <= end || !step.isOfArrival else { return nil }
            moment.time.store(0, ordering: .relaxed)
            return (step, time)
        }
        .sorted { $0.time < $1.time }
        guard let beginning = reached.first?.time else { return nil }
        return reached.map { "\($0.step) \(($0.time - beginning) / 1000)" }.joined(separator: ", ")
    }
}
