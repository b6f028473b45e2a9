import SoundboxCore

/// Chooses which sound is made next, and which sounds stay in memory. Pure.
struct CustomMessageSoundQueue {
    private enum Phase {
        case waiting
        case making(attempt: Int)
        case ready(PreparedSound)
    }

    private struct Job {
        let entry: CustomMessageEntry
        var phase = Phase.waiting
        /// The tasks of the current attempt.
        var tasks: [Task<Void, Never>] = []

        /// The order: rings first, then by arrival.
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

    /// Adds new entries, and forgets entries that are not listed.
    /// - Returns: the tasks to cancel.
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

    /// - Returns: whether the references have changed.
    mutating func keepClips(_ references: Set<ClipReference>) -> Bool {
        defer { clips = references }
        return clips != references
    }

    /// `nil` while it is being made. Adds an unknown entry.
    mutating func sound(of entry: CustomMessageEntry) -> PreparedSound? {
        let id = entry.customMessage.id
        guard let job = jobs[id], job.entry.customMessage == entry.customMessage else {
            // The inbox never holds more, so some of these have ended. The next `keep` forgets them.
            if jobs.count >= CustomMessage.mostWaiting { return nil }
            jobs[id] = Job(entry: entry)
            return nil
        }
        guard case .ready(let sound) = job.phase else { return nil }
        return sound
    }

    /// - Returns: the entry to make now; `nil` for none.
    mutating func begin() -> (CustomMessageEntry, attempt: Int)? {
        guard jobs.values.count(where: \.isMaking) < mostAtOnce else { return nil }
        let waiting = jobs.values.filter { if case .waiting = $0.phase { true } else { false } }
        guard let next = waiting.min(by: { $0.turn < $1.turn }), makeRoom(for: next) else { return nil }
        attempts += 1
        jobs[next.entry.customMessage.id]?.phase = .making(attempt: attempts)
        return (next.entry, attempts)
    }

    /// - Returns: whether the attempt is still current.
    mutating func add(_ tasks: [Task<Void, Never>], of attempt: Int) -> Bool {
        guard let id = id(of: attempt) else { return false }
        jobs[id]?.tasks = tasks
        return true
    }

    /// - Returns: the tasks to cancel; `nil` if the attempt is no longer current.
    mutating func finish(_ attempt: Int, _ sound: PreparedSound) -> [Task<Void, Never>]? {
        guard let id = id(of: attempt), let tasks = jobs[id]?.tasks else { return nil }
        jobs[id]?.phase = .ready(sound)
        jobs[id]?.tasks = []
        return tasks
    }

    private func id(of attempt: Int) -> CommandID? {
        jobs.first { if case .making(attempt) = $0.value.phase { true } else { false } }?.key
    }

    /// Reserves the size of the longest sound for each sound that is being made. Later sounds are dropped for earlier
    /// ones, and made again afterwards.
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

    /// The size of the longest sound in bytes, at 48 kHz.
    static let mostBytes = Int(PCMSound.longest.components.seconds) * 48_000 * MemoryLayout<Int16>.size
}
