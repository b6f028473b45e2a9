import SoundboxCore
import Synchronization

/// All boxes, as the connection's thread knows them, and what of that the store does not have yet.
///
///     var boxes = WatchedBoxes(try store.boxes())
///     if let change = boxes.apply(status, of: box, at: now, reconciles: true) { log(change) }
///     boxes.overview.boxes  // on any thread
struct WatchedBoxes: Sendable {
    /// Read from the store at the start, and then from statuses.
    private(set) var known: [BoxID: KnownBox]
    /// The boxes that get `reconciled`. Apart, since this is asked with each payment, and boxes are many.
    private var unreconciled: Set<BoxID>
    /// Boxes of which the store does not know the state, and those of them that may have become due.
    private(set) var unsaved: Set<BoxID> = []
    private(set) var awakened: Set<BoxID> = []
    /// Boxes whose last status is newer than the store says.
    private var seen: Set<BoxID> = []
    /// What other threads see.
    let overview: BoxOverview

    /// - Parameter known: what the store has. Boxes that no status was seen of are unknown, as while the gateway runs.
    init(_ known: [BoxID: KnownBox]) {
        let known = known.filter { $0.value != KnownBox() }
        self.known = known
        unreconciled = Set(known.filter { $0.value.reconciling != nil }.keys)
        overview = BoxOverview(known)
    }

    subscript(box: BoxID) -> KnownBox? { known[box] }

    private mutating func set(_ box: BoxID, to state: KnownBox) {
        known[box] = state
        overview.set(box, to: state)
    }

    // MARK: What changes

    /// Applies a status.
    ///
    /// - Returns: what it has changed, apart from whether the box is online.
    mutating func apply(
        _ status: BoxStatus, of box: BoxID, at now: Moment, reconciles: Bool
    ) -> (before: KnownBox, after: KnownBox)? {
        let before = known[box] ?? KnownBox()
        var after = before
        let isAwake = after.apply(status, at: now, reconciles: reconciles)
        set(box, to: after)
        if after.reconciling != nil { unreconciled.insert(box) }
        if isAwake {
            awakened.insert(box)
            // With the time of the status, which must not count again after a restart.
            unsaved.insert(box)
        }
        seen.insert(box)
        guard !after.isAlike(before) else { return nil }
        unsaved.insert(box)
        return (before, after)
    }

    /// Whether boxes are online is not known until their next statuses.
    mutating func connectionLost() {
        for (box, var state) in known {
            state.connectionLost()
            set(box, to: state)
        }
    }

    /// The broker has the box's `reconciled`.
    mutating func reconciled(_ box: BoxID) {
        guard var state = known[box] else { return }
        state.reconciling = nil
        set(box, to: state)
        unreconciled.remove(box)
        unsaved.insert(box)
    }

    /// The box's `reconciled` goes out at this time.
    mutating func setReconciling(_ box: BoxID, due: Duration) {
        guard var state = known[box] else { return }
        state.reconciling?.due = due
        set(box, to: state)
    }

    // MARK: What is due

    /// The boxes that get `reconciled`.
    var reconciling: [(box: BoxID, state: KnownBox)] {
        unreconciled.compactMap { box in known[box].map { (box, $0) } }
    }

    /// The boxes that were seen since the store was last told.
    var seenStates: [BoxID: KnownBox] { known.filter { seen.contains($0.key) } }

    /// The store has ``seenStates``.
    mutating func savedSeen() { seen = [] }

    /// The store has the states of ``unsaved`` and ``awakened``.
    mutating func saved() {
        seen.subtract(unsaved)
        (unsaved, awakened) = ([], [])
    }
}

/// What is known of the boxes and of the connection to the broker, for other threads. Any thread; never blocks.
package final class BoxOverview: Sendable {
    private struct State {
        var boxes: [BoxID: KnownBox]
        var isConnected = false
    }

    private let state: Mutex<State>

    init(_ boxes: [BoxID: KnownBox]) { state = Mutex(State(boxes: boxes)) }

    /// All of them, for lists and metrics: the next change copies what is held here.
    package var boxes: [BoxID: KnownBox] { state.withLock { $0.boxes } }

    package subscript(box: BoxID) -> KnownBox? { state.withLock { $0.boxes[box] } }

    package var isConnected: Bool { state.withLock { $0.isConnected } }

    func set(_ box: BoxID, to known: KnownBox) { state.withLock { $0.boxes[box] = known } }

    func setConnected(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }
}
