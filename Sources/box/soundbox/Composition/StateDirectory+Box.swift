import Glibc
import Logging
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxStore
import SoundboxSystem

extension StateDirectory {
    /// Warns of a folder in RAM and of payments of another merchant. Blocks on the disk.
    func report(to state: BoxState, _ logger: Logger) {
        reportPowerLoss(to: state, logger)
        reportInboxesAside(to: state, logger)
    }

    /// Reports a state folder in RAM: after a power cut, acknowledged payments are never spoken, and known ones are
    /// spoken again.
    private func reportPowerLoss(to state: BoxState, _ logger: Logger) {
        let fact = "payments do not survive a power cut"
        switch PowerLoss(in: path) {
        case .kept: break
        case .expected(let reason): logger.warning("\(fact)", metadata: ["path": "\(path)", "reason": "\(reason)"])
        case .gone(let reason):
            logger.error("\(fact)", metadata: ["path": "\(path)", "reason": "\(reason)"])
            state.update { $0.volatileStorage = "\(fact): \(path): \(reason); put state_directory on a disk" }
        }
    }

    /// Reports payments of another merchant. They are never spoken in this shop, but the installer who moved the box
    /// must know of them.
    private func reportInboxesAside(to state: BoxState, _ logger: Logger) {
        let warnings = inboxesAside.compactMap { path -> String? in
            do throws(InboxError) {
                let count = try InboxInspection.waiting(path: path)
                guard count > 0 else { return nil }
                return "payments of another merchant that were never spoken: \(count), in \(path); set the box up for "
                    + "that merchant again, or delete the folder"
            } catch {
                return "whether payments of another merchant wait there is not known: \(error); delete the folder if "
                    + "nobody needs it"
            }
        }
        for warning in warnings { logger.warning("\(warning)") }
        state.update { $0.asideWarnings = warnings }
    }

    /// Opens the inbox, or salvages what a damaged one has.
    func inbox(
        salvagesAtOnce: Bool, _ salvage: SalvageWatch, _ state: BoxState, _ logger: Logger
    ) throws -> SQLiteInbox {
        let path = inboxPath
        return try SQLiteInbox.recovering(path: path, isExpected: expectsInbox, now: { .now }) { line in
            logger.error("inbox", metadata: ["note": "\(line)"])
        } happened: { incident in
            logger.error("inbox", metadata: ["note": "\(incident)"])
            state.update { $0.inboxDamage = incident.description }
        } beforeSalvage: { reason throws(InboxError) in
            guard !salvagesAtOnce else { return }
            throw .failed(
                path: path,
                reason: "\(reason); a new one is about to take its place, with what can be read in the old one, which "
                    + "may take a minute")
        } salvageGoesOn: {
            salvage.goesOn()
        }
    }
}
