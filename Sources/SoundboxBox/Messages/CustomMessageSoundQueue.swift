import SoundboxCore

/// Which sound is made next, and which have room: pure.
struct CustomMessageSoundQueue {
    private enum Phase {
        case waiting
        case making(attempt: Int)
        case ready(PreparedSound)
    }

    private struct Job {
        let entry: CustomMessageEntry
        var phase = Phase.waiting
        /// Of the attempt that goes on.
        var tasks: [Task<Void, Never>] = []

        /// Whose turn it is: rings first, then in the order of their arrival.
        var turn: (Int, Int64) { (entry.isRing ? 0 : 1, entry.sequence) }

        var isMaking: Bool { if case .making = phase { true } else { false } }

        var bytes: Int { if case .ready(let sound) = phase { sound.bytes } else { 0 } }
    }

    private let mostAtOnce: Int
    private let mostMemory: Int
    private var jobs: [CommandID: Job] = [:]
    private var attempts = 0
    private var clips: Set<ClipReference> = []

    init(mostAtOnce: Int, mostMemory: Int) {
        self.mostAtOnce = mostAtOnce
        self.mostMemory = mostMemory
    }

    /// Takes in what is new, and forgets what is not listed.
    /// - Returns: what is to be cancelled.
    mutating func keep(_ entries: [CustomMessageEntry]) -> [Task<Void, Never>] {
        let before = jobs
        jobs = [:]
        for entry in entries {
            let id = entry.customMessage.id
            let known = before[id].flatMap { $0.entry.customMessage == entry.customMessage ? $0 : nil }
            jobs[id] = known ?? Job(entry: entry)
        }
        return before.filter { jobs[$0.key]?.entry.customMessage != $0.value.entry.customMessage }.flatMap(
            \.value.tasks)
    }

    /// - Returns: whether these are others than before.
    mutating func keepClips(_ references: Set<ClipReference>) -> Bool {
        defer { clips = references }
        return clips != references
    }

    /// `nil` while it is made. One that is not known is taken in.
    mutating func sound(of entry: CustomMessageEntry) -> PreparedSound? {
        let id = entry.customMessage.id
        guard let job = jobs[id], job.entry.customMessage == entry.customMessage else {
            // There are never more in the inbox: some of these have ended, and are forgotten at the next listing.
            if jobs.count >= CustomMessage.mostWaiting { return nil }
            jobs[id] = Job(entry: entry)
            return nil
        }
        guard case .ready(let sound) = job.phase else { return nil }
        return sound
    }

    /// - Returns: what is to be made now.
    mutating func begin() -> (CustomMessageEntry, attempt: Int)? {
        guard jobs.values.count(where: \.isMaking) < mostAtOnce else { return nil }
        let waiting = jobs.values.filter { if case .waiting = $0.phase { true } else { false } }
        guard let next = waiting.min(by: { $0.turn < $1.turn }), makeRoom(for: next) else { return nil }
        attempts += 1
        jobs[next.entry.customMessage.id]?.phase = .making(attempt: attempts)
        return (next.entry, attempts)
    }

    /// - Returns: whether the attempt still goes on.
    mutating func note(_ tasks: [Task<Void, Never>], of attempt: Int) -> Bool {
        guard let id = id(of: attempt) else { return false }
        jobs[id]?.tasks = tasks
        return true
    }

    /// - Returns: what is to be cancelled; `nil` when nobody waits for that attempt any more.
    mutating func finish(_ attempt: Int, _ sound: PreparedSound) -> [Task<Void, Never>]? {
        guard let id = id(of: attempt), let tasks = jobs[id]?.tasks else { return nil }
        jobs[id]?.phase = .ready(sound)
        jobs[id]?.tasks = []
        return tasks
    }

    private func id(of attempt: Int) -> CommandID? {
        jobs.first { if case .making(attempt) = $0.value.phase { true } else { false } }?.key
    }

    /// As much as one sound can take is set aside for each that is made. What comes later makes room for what comes
    /// sooner, and is made again.
    private mutating func makeRoom(for next: Job) -> Bool {
        let making = jobs.values.count(where: \.isMaking) + 1
        while jobs.values.reduce(0, { $0 + $1.bytes }) + making * Self.mostBytes > mostMemory {
            let later = jobs.values.filter { $0.bytes > 0 && $0.turn > next.turn }
            guard let last = later.max(by: { $0.turn < $1.turn }) else { return making == 1 && isEmpty }
            jobs[last.entry.customMessage.id]?.phase = .waiting
        }
        return true
    }

    private var isEmpty: Bool { jobs.values.allSatisfy { $0.bytes == 0 } }

    /// Of the longest sound, at 48 kHz.
    static let mostBytes = Int(PCMSound.longest.components.seconds) * 48_000 * MemoryLayout<Int16>.size
}
