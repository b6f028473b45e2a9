import SoundboxCore

/// Commands that wait for their turn: in order, and of bounded size however many come.
struct PendingCommands: Sendable {
    enum Item: Sendable {
        case volume(LoudnessChange)
        case play(Announcer.Request)
        case warnOfUnprovisioning
        case unprovision
        /// The warning before the box is taken out of service was played to its end.
        case heardWarning
        /// Somebody wants to know how loud the box is once everything before has been carried out.
        case tell(CheckedContinuation<Loudness, Never>)
    }

    /// Of commands that cannot be merged: far more than buttons and prompts bring at once.
    static let limit = 256

    private var items: [Item] = []

    var isEmpty: Bool { items.isEmpty }

    /// Changes of the volume that follow each other become one; of several requests to play the last word counts, as it
    /// does for the announcer.
    ///
    /// - Returns: whether there was room.
    mutating func append(_ item: Item) -> Bool {
        switch item {
        case .volume(let change):
            if case .volume(let before)? = items.last {
                items[items.count - 1] = .volume(before.followed(by: change))
                return true
            }
        case .play:
            if let index = items.lastIndex(where: \.isPlay) { remove(at: index) }
        case .warnOfUnprovisioning, .unprovision, .heardWarning:
            guard items.count < Self.limit else { return false }
        // There are as few of these as connections to the control socket. A refused one would be answered before its
        // turn.
        case .tell: break
        }
        items.append(item)
        return true
    }

    /// Everything that waits, oldest first.
    mutating func takeAll() -> [Item] {
        defer { items = [] }
        return items
    }

    /// What it kept apart comes together.
    private mutating func remove(at index: Int) {
        items.remove(at: index)
        guard index > 0, index < items.count, case .volume(let before) = items[index - 1],
            case .volume(let after) = items[index]
        else { return }
        items[index - 1] = .volume(before.followed(by: after))
        items.remove(at: index)
    }
}

extension PendingCommands.Item {
    fileprivate var isPlay: Bool { if case .play = self { true } else { false } }
}
