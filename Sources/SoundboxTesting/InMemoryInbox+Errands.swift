import SoundboxCore
import Synchronization

extension InMemoryInbox {
    public func take(_ commands: [CommandArrival], at reading: ClockReading) throws(InboxError) -> [CommandOutcome] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            if let earliest = reading.earliest { contents.cancelledBefore.removeAll { $0.expiry < earliest } }
            let outcomes = commands.map { command in
                let outcome = contents.take(command, at: reading.time, clock: reading.trust)
                if !outcome.isRefusal { contents.write(command.reply(to: outcome, at: reading.time)) }
                return outcome
            }
            if let earliest = reading.earliest { contents.commands.removeAll { $0.expiry < earliest } }
            contents.commands.removeFirst(max(0, contents.commands.count - CommandID.limit))
            return outcomes
        }
    }

    public func reasonNotToAccept(_ errand: Errand, onlyWhenNoRing: Bool) throws(InboxError) -> String? {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            guard !contents.isKnown(errand.id), !contents.cancelledBefore.contains(where: { $0.id == errand.id }) else {
                return nil
            }
            return contents.reasonNotToAccept(errand, onlyWhenNoRing)
        }
    }
}

extension InMemoryInbox: ErrandBook {
    public func errands() throws(InboxError) -> [ErrandEntry] {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            return contents.errands
        }
    }

    public func markSounding(_ entry: ErrandEntry) throws(InboxError) -> Bool {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            guard let index = contents.index(of: entry) else { return false }
            contents.errands[index].isSounding = true
            return true
        }
    }

    public func end(_ entry: ErrandEntry, as end: ErrandEnd, at now: Timestamp) throws(InboxError) -> Bool {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            guard let index = contents.index(of: entry) else { return false }
            contents.end(index, with: .ended(entry.errand.id, as: end, at: now))
            return true
        }
    }
}

extension InMemoryInbox.Contents {
    fileprivate func index(of entry: ErrandEntry) -> Int? {
        errands.firstIndex { $0.sequence == entry.sequence && $0.errand.id == entry.errand.id }
    }

    fileprivate mutating func end(_ index: Int, with receipt: Receipt) {
        let id = errands.remove(at: index).errand.id
        if let known = commands.firstIndex(where: { $0.id == id }) { commands[known].end = receipt.state }
        write(receipt)
    }

    fileprivate mutating func take(_ command: CommandArrival, at now: Timestamp, clock: ClockTrust) -> CommandOutcome {
        switch command {
        case .once(let id, let expiry):
            guard !commands.contains(where: { $0.id == id }) else { return .duplicate }
            commands.append((id, expiry, nil))
            return .isNew
        case .errand(let errand, let expiry, let onlyWhenNoRing):
            return take(errand, until: expiry, onlyWhenNoRing, at: now, clock: clock)
        case .always: return .isNew
        case .cancel(.payment(let id), _, _):
            return switch InMemoryInbox.cancel(id, at: now, in: &self) {
            case .cancelled(let entry): .cancelled(.payment(id), entry.cancelMoment)
            case .tooLate(let state): .tooLate(.payment(id), state: state.rawValue)
            case .unknown: .unknown(.payment(id))
            }
        case .cancel(.errand(let id), _, let expiry): return cancel(id, until: expiry, at: now)
        }
    }

    private mutating func take(
        _ errand: Errand, until expiry: Timestamp, _ onlyWhenNoRing: Bool, at now: Timestamp, clock: ClockTrust
    ) -> CommandOutcome {
        let id = errand.id
        guard !isKnown(id) else { return .duplicate }
        if let index = cancelledBefore.firstIndex(where: { $0.id == id }) {
            cancelledBefore.remove(at: index)
            commands.append((id, expiry, .cancelled))
            write(.cancelled(.errand(id), .beforeItCame, at: now))
            return .cancelled(.errand(id), .beforeItCame)
        }
        let entry = ErrandEntry(sequence: lastErrand + 1, errand: errand, receivedAt: now, clock: clock)
        if let reason = reasonNotToAccept(errand, onlyWhenNoRing) { return .notAccepted(reason: reason) }
        lastErrand += 1
        commands.append((id, expiry, nil))
        errands.append(entry)
        write(Receipt(.command(id), state: .stored, at: now))
        return .accepted(entry)
    }

    fileprivate func isKnown(_ id: CommandID) -> Bool {
        commands.contains { $0.id == id } || errands.contains { $0.errand.id == id }
    }

    fileprivate func reasonNotToAccept(_ errand: Errand, _ onlyWhenNoRing: Bool) -> String? {
        let isBusy = onlyWhenNoRing && errand.isRing && errands.contains(where: \.isRing)
        return Errand.reasonNotToAccept(isBusy: isBusy, waiting: errands.count)
    }

    private mutating func cancel(_ id: CommandID, until expiry: Timestamp, at now: Timestamp) -> CommandOutcome {
        if let index = errands.firstIndex(where: { $0.errand.id == id }) {
            let moment = errands[index].cancelMoment
            end(index, with: .cancelled(.errand(id), moment, at: now))
            return .cancelled(.errand(id), moment)
        }
        if let known = commands.first(where: { $0.id == id }) {
            return .tooLate(.errand(id), state: known.end?.rawValue ?? "ended")
        }
        cancelledBefore.removeAll { $0.id == id }
        cancelledBefore.append((id, expiry))
        cancelledBefore.removeFirst(max(0, cancelledBefore.count - Errand.mostCancelledBefore))
        return .remembered(id)
    }
}
