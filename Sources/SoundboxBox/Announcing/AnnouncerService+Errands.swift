import Logging
import SoundboxCore

/// What commands give to say, between the inbox and the announcer.
extension AnnouncerService {
    /// What waits to be said, oldest first.
    func says() throws(InboxError) -> [Announcer.Say] {
        guard let errands else { return [] }
        let entries = try errands.book.errands()
        errands.prepare(entries)
        return entries.filter { !$0.isRing }.map { Announcer.Say($0, errands.speech($0)) }
    }

    func end(_ entry: ErrandEntry, _ end: ErrandEnd) throws(InboxError) {
        let hasEnded = try reporting { () throws(InboxError) in
            try errands?.book.end(entry, as: end, at: clock.now) == true
        }
        guard hasEnded else { return }
        let command: Logger.Metadata = ["command": "\(entry.errand.id)"]
        switch end {
        case .failed(let reason):
            logger.error("not said", metadata: command.merging(["reason": "\(reason)"]) { $1 })
        case .expired: logger.notice("too late, not said", metadata: command)
        case .spoken(let manner):
            logger.info("said", metadata: command.merging(["told": "\(manner.rawValue)"]) { $1 })
        case .answered, .missed: break
        }
        receiptsAreWaiting()
    }
}
