import SoundboxCore
import SoundboxSpeech

@testable import SoundboxBox

/// Watches what a box says, and notes whatever it must not do.
struct AudienceLedger {
    var problems: [String] = []
    /// How long each rank waited for its turn, in milliseconds, at the most.
    private(set) var longestWait: [Rank: Int64] = [:]
    /// How often in a row a lower rank was passed over by other lower ranks while it waited, at the most.
    private(set) var mostPassedOver = 0
    private(set) var sentences: [Rank: Int] = [:]
    private(set) var stopped = 0
    /// Ids of notices that arrived, and of custom messages that were accepted.
    private(set) var ids: Set<String> = []
    /// Heard to the end at any time.
    private(set) var heardAtAll: Set<String> = []
    private(set) var cancelledIDs: Set<String> = []

    /// Since when it waits, and in which rank.
    private var waiting: [String: (since: Int64, rank: Rank)] = [:]
    private var passedOver: [Rank: Int] = [:]
    /// How many lower sentences a payment that waits has been held up by.
    private var heldUp: [String: Int] = [:]
    private var heardInThisRun: Set<String> = []
    /// The payment, the refund and the notice of another kind that were heard last in this run.
    private var last: [Rank: Int64] = [:]
    /// A sentence that holds payments up sounds.
    private var lowerSounds = false
    private var mustSayCancelled = false

    // MARK: What waits

    mutating func arrived(_ entry: InboxEntry, at time: Int64) {
        let rank = Rank(entry.notice.kind)
        wait(entry.notice.id.text, in: rank, since: time)
        if rank == .payment { heldUp[entry.notice.id.text] = lowerSounds ? 1 : 0 }
    }

    mutating func arrived(_ entry: CustomMessageEntry, readyAt time: Int64) {
        wait(entry.customMessage.id.text, in: .text, since: time)
    }

    private mutating func wait(_ id: String, in rank: Rank, since time: Int64) {
        ids.insert(id)
        waiting[id] = (time, rank)
    }

    /// Requests and prompts are never more than one; how long they wait is measured by how often they are passed over.
    mutating func asked(_ rank: Rank) { isAsked.insert(rank) }
    private var isAsked: Set<Rank> = []

    mutating func arrived(ring: CustomMessageEntry) {
        ids.insert(ring.customMessage.id.text)
        rings.insert(ring.customMessage.id.text)
    }

    mutating func answered(_ id: String) {
        answeredIDs.insert(id)
        notRecorded.insert(id)
    }

    /// Without those whose answer a restart has lost as it may: the box forgot them, and they ring again.
    private(set) var answeredIDs: Set<String> = []
    /// Answered, and not on the disk yet.
    private var notRecorded: Set<String> = []
    /// Of these, those that the disk refused when the box stopped in good order.
    private var refused: Set<String> = []
    private(set) var rings: Set<String> = []
    /// Other sentences than payments in a row, since the last repeat of a ring that goes on.
    private var sentencesInBetween: Int?
    /// When that repeat began.
    private var lastRepeat: Int64 = 0

    mutating func cancelled(_ id: String) {
        cancelledIDs.insert(id)
        if rings.contains(id) { sentencesInBetween = nil }
        waiting[id] = nil
        heldUp[id] = nil
    }

    mutating func ended(_ entry: CustomMessageEntry) {
        waiting[entry.customMessage.id.text] = nil
        notRecorded.remove(entry.customMessage.id.text)
        if entry.isRing { sentencesInBetween = nil }
    }

    /// Call when the box stops in good order and could not record how this ended.
    mutating func diskRefusedTheLastAttempt(_ entry: CustomMessageEntry) {
        refused.insert(entry.customMessage.id.text)
    }

    /// A power cut loses every answer that is not on the disk. A stop in good order loses only those that the disk
    /// refused to the last.
    mutating func restarted(byPowerCut: Bool) {
        answeredIDs.subtract(byPowerCut ? notRecorded : notRecorded.intersection(refused))
        notRecorded = []
        refused = []
        heardInThisRun = []
        sentencesInBetween = nil
        isAsked = []
        passedOver = [:]
        last = [:]
        lowerSounds = false
        mustSayCancelled = false
        for id in heldUp.keys { heldUp[id] = 0 }
    }

    // MARK: What sounds

    /// - Parameter isBetweenRepeats: it comes between two repeats of a ring, and neither card nor disk is away.
    mutating func begins(_ job: Announcer.Job, at time: Int64, holdsUp: Bool, isBetweenRepeats: Bool) {
        if case .ring(let entry, _) = job { return repeats(entry.customMessage.id.text, at: time) }
        if let count = sentencesInBetween, job != .prompt(.cancelled), isBetweenRepeats {
            sentencesInBetween = job.rank == .payment ? 0 : count + 1
            // Another one is let in where a repeat fails.
            if count > 1, job.rank != .payment { problems.append("\(job) is the third in a row while it rings") }
            // Half a minute behind a repeat, and again behind one that fails.
            if time - lastRepeat > 70_000 { problems.append("\(job) holds a ring up") }
        }
        sentences[job.rank, default: 0] += 1
        if job == .prompt(.cancelled) {
            if !mustSayCancelled { problems.append("it says \"cancelled\" of nothing") }
            mustSayCancelled = false
            return
        }
        if mustSayCancelled { problems.append("\(job.targets) before \"cancelled\" is said") }
        for id in job.targets {
            if cancelledIDs.contains(id) { problems.append("\(id) begins after it was cancelled") }
            if heardInThisRun.contains(id) { problems.append("\(id) begins after it was heard") }
            if let since = waiting[id]?.since {
                longestWait[job.rank] = max(longestWait[job.rank, default: 0], time - since)
            }
        }
        checkOrder(of: job)
        if job.rank == .payment { return }
        if case .say(let entry, let script, let failure) = job,
            script.text != entry.customMessage.id.text + (failure == nil ? "" : " instead")
        {
            problems.append("\(script.text) is said for \(entry.customMessage.id)")
        }
        lowerSounds = holdsUp
        guard holdsUp else { return }
        for (id, count) in heldUp {
            heldUp[id] = count + 1
            if count > 0 { problems.append("\(id) is held up once more, by \(job)") }
        }
        count(job.rank)
    }

    private mutating func repeats(_ id: String, at time: Int64) {
        (sentencesInBetween, lastRepeat) = (0, time)
        if cancelledIDs.contains(id) { problems.append("\(id) rings after it was cancelled") }
        if answeredIDs.contains(id) { problems.append("\(id) rings after it was answered") }
    }

    private mutating func checkOrder(of job: Announcer.Job) {
        var last = last[job.rank] ?? 0
        for entry in job.entries {
            if entry.sequence < last { problems.append("\(entry.sequence) is told after \(last)") }
            last = entry.sequence
        }
    }

    private mutating func count(_ rank: Rank) {
        var others = Set(waiting.values.map(\.rank)).union(isAsked)
        others.remove(.payment)
        passedOver = passedOver.filter { others.contains($0.key) }
        passedOver[rank] = nil
        isAsked.remove(rank)
        others.remove(rank)
        for other in others {
            passedOver[other, default: 0] += 1
            mostPassedOver = max(mostPassedOver, passedOver[other, default: 0])
        }
    }

    mutating func heard(_ job: Announcer.Job) {
        if case .ring(let entry, _) = job {
            heardAtAll.insert(entry.customMessage.id.text)
            return
        }
        lowerSounds = false
        if let entry = job.entries.last { last[job.rank] = entry.sequence }
        for id in job.targets {
            heardInThisRun.insert(id)
            heardAtAll.insert(id)
            waiting[id] = nil
            heldUp[id] = nil
        }
    }

    mutating func stoppedEarly(_ job: Announcer.Job) {
        if case .ring = job { return }
        lowerSounds = false
        stopped += 1
        mustSayCancelled = true
        for id in job.targets where !cancelledIDs.contains(id) { problems.append("\(id) stops and was not cancelled") }
    }

    /// The card was lost: it waits again.
    mutating func broke(off job: Announcer.Job) { lowerSounds = false }

    // MARK: What is left

    /// - Parameter receipts: the inbox's, every one of them.
    mutating func close(_ receipts: [OutgoingReceipt]) throws {
        var ends: [String: [String]] = [:]
        for receipt in receipts {
            let json = try JSONValue(parsing: receipt.payload)
            guard let id = json["id"]?.string ?? json["command"]?.string, let state = json["state"]?.string,
                state != "stored"
            else { continue }
            ends[id, default: []].append(state)
        }
        for id in ids.sorted() {
            let states = ends[id] ?? []
            if states.count != 1 { problems.append("\(id) ends as \(states)") }
            if cancelledIDs.contains(id), states != ["cancelled"] { problems.append("\(id) is cancelled: \(states)") }
            if answeredIDs.contains(id), !["answered", "cancelled"].contains(states.first) {
                problems.append("\(id) is answered: \(states)")
            }
            if ["announced", "spoken", "missed"].contains(states.first), !heardAtAll.contains(id) {
                problems.append("\(id) was never heard and is said to be \(states)")
            }
        }
    }
}
