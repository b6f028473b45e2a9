import Logging
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import Synchronization

/// The gateway's side to the broker: publishes what is due, and stores what boxes answer.
///
/// Everything but ``boxes`` and ``isConnected`` is called on the connection's thread, and blocks on the disk.
package final class Outgoing: MQTTFleetDelegate {
    private let store: PaymentStore
    private let keys: SigningKeys
    private let reconciles: Bool
    private let keep: Duration
    private let metrics: GatewayMetrics
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        /// Read from the file at the start, and then from statuses.
        var boxes: [BoxID: KnownBox]
        /// The boxes that get `reconciled`. Apart, since this is asked with each payment, and boxes are many.
        var unreconciled: Set<BoxID>
        /// Since when receipts are listened to, as ``Moment/running``; `nil` without a connection.
        var listeningSince: Duration?
        /// Numbers of payments under way, each with the box's session as it was published. Those of boxes that get
        /// `reconciled` are negative.
        var underWay: [Int64: Int?] = [:]
        var reconciling: [Int64: BoxID] = [:]
        var lastReconciling: Int64 = 0
        /// Boxes of which the file does not know the state, and those of them that may have become due.
        var unsaved: Set<BoxID> = []
        var awakened: Set<BoxID> = []
        /// Boxes whose last status is newer than the file says.
        var seen: Set<BoxID> = []
        var nextHousekeeping = Duration.zero
        /// The last complaint about each box, or about the store, so that it is logged once.
        var complaints: [String: String] = [:]
        /// Whether the last commit failed.
        var cannotWrite = false
    }

    /// - Throws: when the store cannot be read.
    package init(
        store: PaymentStore, keys: String?, reconciles: Bool, keep: Duration, metrics: GatewayMetrics, logger: Logger
    ) throws(StoreError) {
        self.store = store
        self.keys = SigningKeys(path: keys)
        self.reconciles = reconciles
        self.keep = keep
        self.metrics = metrics
        self.logger = logger
        let boxes = try store.boxes()
        state = Mutex(State(boxes: boxes, unreconciled: Set(boxes.filter { $0.value.reconciling != nil }.keys)))
    }

    /// What is known of each box. Any thread; never blocks.
    package var boxes: [BoxID: KnownBox] { state.withLock { $0.boxes } }

    /// Any thread; never blocks.
    package var isConnected: Bool { state.withLock { $0.listeningSince != nil } }

    package func connectionChanged(to connection: FleetConnection) {
        state.withLock {
            $0.underWay = [:]
            $0.reconciling = [:]
        }
        switch connection {
        case .ready(let broker, let isResumed):
            state.withLock { $0.listeningSince = store.clock.now.running }
            // What the broker has refused may be taken now. If this fails, payments stay due when they were.
            do throws(StoreError) { try store.awaken() } catch {
                complain("store", "the store cannot be used", "\(error)")
            }
            logger.info("connected", metadata: ["broker": "\(broker)", "session": isResumed ? "resumed" : "new"])
            if !isResumed {
                logger.notice("the broker had no session: receipts that came meanwhile are lost, and asked for again")
            }
        case .lost(let reason, let delay):
            state.withLock { state in
                state.listeningSince = nil
                for box in state.boxes.keys { state.boxes[box]?.connectionLost() }
            }
            logger.warning("not connected", metadata: ["reason": "\(reason)", "retry_in": "\(delay)"])
        }
    }

    // MARK: What boxes answer

    package func commit(_ turn: FleetTurn) throws {
        let now = store.clock.now
        var change = PaymentStore.Turn()
        for message in turn.messages { read(message, at: now, into: &change) }
        let reconciled = state.withLock { state in
            change.acknowledged = turn.acknowledged.filter { $0 > 0 }.map { ($0, state.underWay[$0] ?? nil) }
            change.refused = turn.refused.filter { $0.id > 0 }.map { (number: $0.id, reason: $0.reason) }
            let reconciled = turn.acknowledged.compactMap { state.reconciling[$0] }
            for box in reconciled {
                state.boxes[box]?.reconciling = nil
                state.unreconciled.remove(box)
                state.unsaved.insert(box)
            }
            for id in turn.refused.map(\.id) {
                if let box = state.reconciling[id] {
                    state.boxes[box]?.reconciling?.due = now.running + DeliveryRules.reconcilingWait
                }
            }
            change.changedBoxes = Array(state.unsaved)
            change.awakened = state.awakened
            return reconciled
        }
        if !change.isEmpty {
            let (boxes, start) = state.withLock { ($0.boxes, $0.listeningSince ?? now.running) }
            state.withLock { $0.cannotWrite = true }
            let outcome = try store.commit(change, boxes: boxes, listeningSince: start, at: now)
            state.withLock { $0.cannotWrite = false }
            note(outcome, at: now)
        }
        state.withLock { state in
            state.unsaved.subtract(change.changedBoxes)
            state.seen.subtract(change.changedBoxes)
            state.awakened.subtract(change.awakened)
            for id in turn.acknowledged + turn.refused.map(\.id) {
                state.underWay.removeValue(forKey: id)
                state.reconciling[id] = nil
            }
        }
        for (_, reason) in turn.refused { complain("broker", "the broker refuses a payment", reason) }
        for box in reconciled { logger.info("reconciled", metadata: ["box": "\(box)"]) }
    }

    private func read(_ message: FleetTurn.Message, at now: Moment, into change: inout PaymentStore.Turn) {
        var word = ""
        guard let box = BoxID(topic: message.topic, &word), let json = try? JSONValue(parsing: message.payload) else {
            return
        }
        switch Topic(rawValue: word) {
        case .receipts:
            guard let state = json["state"]?.string.flatMap(Receipt.State.init), json["command"] == nil else { return }
            let reason = json["reason"]?.string.map { String($0.prefix(500)) }
            if let id = PaymentID(receipt: json) {
                let how = json["how"]?.string.flatMap(Audibility.init)?.rawValue
                var number: ReceiptNumber?
                if let epoch = json["epoch"]?.string, let sequence = json["sequence"]?.integer {
                    number = ReceiptNumber(epoch: epoch, sequence: sequence)
                }
                change.receipts.append((box, id, .init(state: state, how: how, reason: reason, number: number)))
            } else if state == .rejected {
                // Such as with another key. It does not say of which payment.
                complain("\(box)", "a box refuses messages", reason ?? "no reason", box: box)
            }
        case .status: note(json, of: box, at: now)
        default: break
        }
    }

    private func note(_ json: JSONValue, of box: BoxID, at now: Moment) {
        guard let status = BoxStatus(decoding: json) else { return }
        let change = state.withLock { state -> (before: KnownBox, after: KnownBox)? in
            let before = state.boxes[box] ?? KnownBox()
            var after = before
            let isAwake = after.note(status, at: now, reconciles: reconciles)
            state.boxes[box] = after
            if after.reconciling != nil { state.unreconciled.insert(box) }
            if isAwake {
                state.awakened.insert(box)
                // With the time of the status, which must not count again after a restart.
                state.unsaved.insert(box)
            }
            state.seen.insert(box)
            guard !after.isAlike(before) else { return nil }
            state.unsaved.insert(box)
            return (before, after)
        }
        guard let (before, after) = change else { return }
        if let old = before.sessionEpoch, let new = after.sessionEpoch, new > old {
            logger.notice(
                "the broker has lost a box's session: open payments are published again",
                metadata: ["box": "\(box)", "session_epoch": "\(new)"])
        }
        if after.faults != before.faults {
            logger.info("a box's faults", metadata: ["box": "\(box)", "faults": "\(after.faults)"])
        }
    }

    private func note(_ outcome: PaymentStore.TurnOutcome, at now: Moment) {
        metrics.count(outcome, at: now.running)
        for payment in outcome.ended where payment.state != .announced {
            logger.notice(
                "not announced",
                metadata: [
                    "box": "\(payment.box)", "id": "\(payment.notice.id)", "state": "\(payment.state.rawValue)",
                    "reason": "\(payment.reason ?? "none")",
                ])
        }
    }

    // MARK: What is published

    package func publications(limit: Int) -> [FleetPublication] {
        do throws(StoreError) {
            let now = store.clock.now
            // What the broker takes could not be noted, and would be published again after each connection.
            if state.withLock({ $0.cannotWrite }) { try store.saveTime() }
            try runHousekeeping(at: now)
            let payments = try duePayments(limit: limit, at: now)
            let publications = try payments + reconciliations(limit: limit - payments.count, at: now)
            state.withLock { _ = $0.complaints.removeValue(forKey: "store") }
            return publications
        } catch {
            complain("store", "the store cannot be used", "\(error)")
            return []
        }
    }

    private func duePayments(limit: Int, at now: Moment) throws(StoreError) -> [FleetPublication] {
        let (boxes, start, underWay) = state.withLock { ($0.boxes, $0.listeningSince ?? now.running, $0.underWay) }
        var publications: [FleetPublication] = []
        var epochs: [(number: Int64, epoch: Int?)] = []
        var waiting: [(number: Int64, until: Duration)] = []
        var givenUp: [Int64] = []
        let due = try store.due(at: now.running, limit: limit + underWay.count) { number in
            complain("payment \(number)", "a payment in the database cannot be read: it waits", "row \(number)")
            waiting.append((number, now.running + DeliveryRules.longestWait))
        }
        for (number, payment) in due where !underWay.keys.contains(number) && publications.count < limit {
            switch DeliveryRules.next(payment.waiting, to: boxes[payment.box], listeningSince: start, at: now.running) {
            case .publish:
                let topic = payment.box.topic(.payments)
                do throws(SecretFileError) {
                    let payload = try keys.payload(payment.notice.members, of: payment.box, on: topic)
                    publications.append(FleetPublication(id: number, topic: topic, payload: payload))
                    epochs.append((number, boxes[payment.box]?.sessionEpoch))
                } catch {
                    complain("key \(payment.box)", "a payment waits for the box's key", "\(error)", box: payment.box)
                    waiting.append((number, now.running + DeliveryRules.wait(after: 0)))
                }
            case .wait(let until): waiting.append((number, until))
            case .giveUp:
                givenUp.append(number)
                logger.error("given up", metadata: ["box": "\(payment.box)", "id": "\(payment.notice.id)"])
            }
        }
        if !waiting.isEmpty || !givenUp.isEmpty {
            try store.settle(waiting: waiting, givenUp: givenUp, at: now.time)
            metrics.countGivenUp(givenUp.count)
        }
        // Behind everything that can fail: what is not returned is not under way.
        state.withLock { state in
            for (number, epoch) in epochs { state.underWay.updateValue(epoch, forKey: number) }
        }
        return publications
    }

    /// `reconciled` for boxes whose payments were published again a minute ago.
    private func reconciliations(limit: Int, at now: Moment) throws(StoreError) -> [FleetPublication] {
        guard reconciles else { return [] }
        var publications: [FleetPublication] = []
        let (candidates, underWay) = state.withLock { state in
            (state.unreconciled.compactMap { box in state.boxes[box].map { (box, $0) } }, Set(state.reconciling.values))
        }
        for (box, known) in candidates where !underWay.contains(box) && publications.count < limit {
            guard var reconciling = known.reconciling, known.isOnline(at: now.running) else { continue }
            guard let due = reconciling.due else {
                if try store.isPublishedAgain(box, in: reconciling.epoch) {
                    reconciling.due = now.running + DeliveryRules.reconcilingWait
                    var known = known
                    known.reconciling = reconciling
                    try store.write([box: known])
                    state.withLock { [reconciling] in $0.boxes[box]?.reconciling = reconciling }
                }
                continue
            }
            guard due <= now.running else { continue }
            let topic = box.topic(.commands)
            let members: [(name: String, value: JSONValue)] = [
                ("id", .string("reconciled-\(reconciling.epoch)")), ("type", .string("reconciled")),
                ("session_epoch", .integer(reconciling.epoch)),
            ]
            do throws(SecretFileError) {
                let payload = try keys.payload(members, of: box, on: topic)
                let id = state.withLock { state in
                    state.lastReconciling -= 1
                    state.reconciling[state.lastReconciling] = box
                    return state.lastReconciling
                }
                publications.append(FleetPublication(id: id, topic: topic, payload: payload))
            } catch { complain("key \(box)", "a command waits for the box's key", "\(error)", box: box) }
        }
        return publications
    }

    /// Once a minute: writes the time and when boxes were last seen, and deletes old payments.
    private func runHousekeeping(at now: Moment) throws(StoreError) {
        let isDue = state.withLock { state in
            guard .monotonicNow >= state.nextHousekeeping else { return false }
            state.nextHousekeeping = .monotonicNow + .seconds(60)
            return true
        }
        guard isDue else { return }
        let seen = state.withLock { state in state.boxes.filter { state.seen.contains($0.key) } }
        // Also when there are none.
        try store.write(seen)
        state.withLock { $0.seen.subtract(seen.keys) }
        // What is left is deleted in the next minutes.
        _ = try store.prune(before: now.running - keep)
    }

    private func complain(_ about: String, _ what: String, _ reason: String, box: BoxID? = nil) {
        let isNew = state.withLock { state in
            // Boxes are many, and may all complain.
            if state.complaints.count > 10_000 { state.complaints = [:] }
            return state.complaints.updateValue(reason, forKey: about) != reason
        }
        guard isNew else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let box { metadata["box"] = "\(box)" }
        logger.error("\(what)", metadata: metadata)
    }
}
