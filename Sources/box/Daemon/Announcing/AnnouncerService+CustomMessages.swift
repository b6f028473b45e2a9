import Logging
import SoundboxCore
import SoundboxSpeech

/// `say` and `ring` commands between the inbox and the announcer.
extension AnnouncerService {
    /// Oldest first.
    func waitingCustomMessages() throws(InboxError) -> (says: [Announcer.Say], rings: [CustomMessageEntry]) {
        guard let customMessages else { return ([], []) }
        let entries = try customMessages.store.customMessages()
        customMessages.prepare(entries)
        let says = entries.filter { !$0.isRing && !nowPlaying.isHeld(.customMessage($0.customMessage.id)) }.map {
            Announcer.Say($0, customMessages.speech(of: $0))
        }
        return (says, entries.filter(\.isRing))
    }

    func words(of ring: CustomMessageEntry) -> AnnouncementScript? {
        guard let customMessages else { return .silence }
        return customMessages.words(of: ring)
    }

    /// Passes each change of the current ring to the panel, the status and the log.
    func show(_ ring: Rings.Ring?) {
        guard ring?.id != state.snapshot.ring?.id else { return }
        state.update { state in
            state.ring = ring.map { BoxState.Ring(of: $0.entry.customMessage, until: $0.deadline) }
        }
        guard let customMessage = ring?.entry.customMessage else { return }
        logger.notice("ringing", metadata: ["id": "\(customMessage.id)", "text": "\(customMessage.content.summary)"])
    }

    func end(_ entry: CustomMessageEntry, _ end: CustomMessageEnd) throws(InboxError) -> Bool {
        let hasEnded = try reporting { () throws(InboxError) in
            try customMessages?.store.end(entry, as: end, at: clock.now) == true
        }
        guard hasEnded else { return false }
        nowPlaying.forget([.customMessage(entry.customMessage.id)])
        let command: Logger.Metadata = ["command": "\(entry.customMessage.id)"]
        switch end {
        case _ where entry.isRing:
            logger.notice("ring over", metadata: ["id": "\(entry.customMessage.id)", "end": "\(end.summary)"])
        case .failed(let reason):
            logger.error("not said", metadata: command.merging(["reason": "\(reason)"]) { $1 })
        case .expired: logger.notice("too late, not said", metadata: command)
        case .spoken(let audibility):
            logger.info("said", metadata: command.merging(["told": "\(audibility.rawValue)"]) { $1 })
        case .answered, .missed: break
        }
        delegate.receiptsAreWaiting()
        return true
    }
}

extension CustomMessageEnd {
    /// For the log.
    fileprivate var summary: String {
        switch self {
        case .answered: "answered"
        case .missed: "missed"
        case .spoken(let audibility): audibility.rawValue
        case .failed(let reason): "failed: \(reason)"
        case .expired: "expired"
        }
    }
}
