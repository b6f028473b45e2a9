import Logging
import SoundboxCore
import SoundboxSpeech

/// What commands give to say, between the inbox and the announcer.
extension AnnouncerService {
    /// Oldest first.
    func waitingErrands() throws(InboxError) -> (says: [Announcer.Say], rings: [ErrandEntry]) {
        guard let errands else { return ([], []) }
        let entries = try errands.book.errands()
        errands.prepare(entries)
        let says = entries.filter { !$0.isRing }.map { Announcer.Say($0, errands.speech($0)) }
        return (says, entries.filter(\.isRing))
    }

    func words(of ring: ErrandEntry) -> AnnouncementScript? {
        guard let errands else { return .silence }
        return errands.ringWords(ring)
    }

    /// Tells panel, status and log at each change which ring it is.
    func show(_ ring: Rings.Ring?) {
        guard ring?.id != state.snapshot.ring?.id else { return }
        state.update { state in
            state.ring = ring.map { BoxState.Ring(of: $0.entry.errand, until: $0.deadline) }
        }
        guard let errand = ring?.entry.errand else { return }
        logger.notice("ringing", metadata: ["id": "\(errand.id)", "text": "\(errand.content.summary)"])
    }

    func end(_ entry: ErrandEntry, _ end: ErrandEnd) throws(InboxError) -> Bool {
        let hasEnded = try reporting { () throws(InboxError) in
            try errands?.book.end(entry, as: end, at: clock.now) == true
        }
        guard hasEnded else { return false }
        sounding.forget([.errand(entry.errand.id)])
        let command: Logger.Metadata = ["command": "\(entry.errand.id)"]
        switch end {
        case _ where entry.isRing:
            logger.notice("ring over", metadata: ["id": "\(entry.errand.id)", "end": "\(end.summary)"])
        case .failed(let reason):
            logger.error("not said", metadata: command.merging(["reason": "\(reason)"]) { $1 })
        case .expired: logger.notice("too late, not said", metadata: command)
        case .spoken(let manner):
            logger.info("said", metadata: command.merging(["told": "\(manner.rawValue)"]) { $1 })
        case .answered, .missed: break
        }
        receiptsAreWaiting()
        return true
    }
}

extension ErrandEnd {
    /// For the log.
    fileprivate var summary: String {
        switch self {
        case .answered: "answered"
        case .missed: "missed"
        case .spoken(let manner): manner.rawValue
        case .failed(let reason): "failed: \(reason)"
        case .expired: "expired"
        }
    }
}
