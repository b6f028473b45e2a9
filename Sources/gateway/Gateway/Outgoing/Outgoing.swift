import Logging
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

/// The gateway's side to the broker: publishes what is due, and stores what boxes answer.
///
///     let outgoing = try Outgoing(store: store, keys: keys, reconciles: true, keep: keep, metrics: metrics, logger: logger)
///     try await fleet.run(delegate: outgoing)
///     outgoing.overview.isConnected  // on any thread
///
/// A value that the connection's thread owns: ``MQTTFleet`` calls its functions one after the other. They block on the
/// disk.
package struct Outgoing: MQTTFleetDelegate {
    private let store: any PaymentStore
    private let keys: SigningKeys
    private let reconciles: Bool
    private let keep: Duration
    /// `nil` tells nobody.
    private let callbacks: CallbackService?
    private let commands: PendingCommands
    private let metrics: GatewayMetrics
    private let logger: Logger

    private var boxes: WatchedBoxes
    /// Since when receipts are listened to, as ``Moment/running``; `nil` without a connection.
    private var listeningSince: Duration?
    /// What the broker has not acknowledged yet, by the number of the publication.
    private var underWay: [Int64: UnderWay] = [:]
    /// Numbers of `reconciled` are negative: payments have those of their rows.
    private var lastReconciled: Int64 = 0
    private var nextHousekeeping = Duration.zero
    private var nextPruning = Duration.zero
    /// The last complaint about each box, or about the store, so that it is logged once.
    private var complaints: [String: String] = [:]
    /// Whether the last commit failed.
    private var cannotWrite = false

    private static let pruningPiece = 1000
    private static let pruningPause = Duration.milliseconds(250)

    private enum UnderWay: Equatable {
        /// With the box's session as it was published.
        case payment(sessionEpoch: Int?)
        case reconciled(BoxID)
    }

    /// - Throws: when the store cannot be read.
    package init(
        store: any PaymentStore, keys: String?, reconciles: Bool, keep: Duration, callbacks: CallbackService? = nil,
        commands: PendingCommands = PendingCommands(), metrics: GatewayMetrics, logger: Logger
    ) throws(StoreError) {
        self.store = store
        self.keys = SigningKeys(path: keys)
        self.reconciles = reconciles
        self.keep = keep
        self.callbacks = callbacks
        self.commands = commands
        self.metrics = metrics
        self.logger = logger
        boxes = WatchedBoxes(try store.boxes())
    }

    /// What is known of each box, and whether there is a connection. Any thread; never blocks.
    package var overview: BoxOverview { boxes.overview }

    package mutating func connectionChanged(to connection: FleetConnection) {
        underWay = [:]
        switch connection {
        case .ready(let broker, let isResumed):
            listeningSince = store.clock.now.running
            overview.setConnected(true)
            // What the broker has refused may be taken now. If this fails, payments stay due when they were.
            do throws(StoreError) { try store.awaken() } catch {
                complain("store", "the store cannot be used", "\(error)")
            }
            logger.info("connected", metadata: ["broker": "\(broker)", "session": isResumed ? "resumed" : "new"])
            if !isResumed {
                logger.notice("the broker had no session: receipts that came meanwhile are lost, and asked for again")
            }
        case .lost(let reason, let delay):
            listeningSince = nil
            store.release()
            overview.setConnected(false)
            boxes.connectionLost()
            logger.warning("not connected", metadata: ["reason": "\(reason)", "retry_in": "\(delay)"])
        }
    }

    // MARK: What boxes answer

    package mutating func commit(_ turn: FleetTurn) throws {
        let now = store.clock.now
        let turn = commands.removeCommands(from: turn)
        var change = DeliveryTurn()
        for message in turn.messages { read(message, at: now, into: &change) }
        var reconciled: [BoxID] = []
        for id in turn.acknowledged {
            switch underWay[id] {
            case .reconciled(let box):
                boxes.reconciled(box)
                reconciled.append(box)
            case .payment(let epoch): change.acknowledged.append((id, epoch))
            case nil: change.acknowledged.append((id, nil))
            }
        }
        for (id, reason) in turn.refused {
            if case .reconciled(let box) = underWay[id] {
                boxes.setReconciling(box, due: now.running + DeliveryRules.reconcilingWait)
            } else {
                change.refused.append((id, reason))
            }
        }
        change.changedBoxes = Array(boxes.unsaved)
        change.awakened = boxes.awakened
        try save(change, at: now)
        boxes.saved()
        for id in turn.acknowledged + turn.refused.map(\.id) { underWay[id] = nil }
        for (_, reason) in turn.refused { complain("broker", "the broker refuses a payment", reason) }
        for box in reconciled { logger.info("reconciled", metadata: ["box": "\(box)"]) }
    }

    private mutating func save(_ change: DeliveryTurn, at now: Moment) throws(StoreError) {
        guard !change.isEmpty else { return }
        cannotWrite = true
        let outcome = try store.commit(
            change, boxes: boxes.known, listeningSince: listeningSince ?? now.running, at: now)
        cannotWrite = false
        report(outcome, at: now)
    }

    private mutating func read(_ message: FleetTurn.Message, at now: Moment, into change: inout DeliveryTurn) {
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
                let answer = DeliveryRules.Answer(
                    state: state, how: how, reason: reason, number: number, first: .init(duplicate: json))
                change.receipts.append((box, id, answer))
            } else if state == .rejected {
                // Such as with another key. It does not say of which payment.
                complain("\(box)", "a box refuses messages", reason ?? "no reason", box: box)
            }
        case .status: applyStatus(json, of: box, at: now)
        default: break
        }
    }

    private mutating func applyStatus(_ json: JSONValue, of box: BoxID, at now: Moment) {
        guard let status = BoxStatus(decoding: json),
            let (before, after) = boxes.apply(status, of: box, at: now, reconciles: reconciles)
        else { return }
        if let old = before.sessionEpoch, let new = after.sessionEpoch, new > old {
            logger.notice(
                "the broker has lost a box's session: open payments are published again",
                metadata: ["box": "\(box)", "session_epoch": "\(new)"])
        }
        if after.faults != before.faults {
            logger.info("a box's faults", metadata: ["box": "\(box)", "faults": "\(after.faults)"])
        }
    }

    private func report(_ outcome: DeliveryTurnOutcome, at now: Moment) {
        metrics.count(outcome, at: now.running)
        if !outcome.ended.isEmpty { callbacks?.eventsAreWaiting() }
        for payment in outcome.ended where payment.state != .announced {
            logger.log(
                level: payment.hasFailedForAmount ? .warning : .notice, "not announced",
                metadata: [
                    "box": "\(payment.box)", "id": "\(payment.notice.id)", "state": "\(payment.state.rawValue)",
                    "reason": "\(payment.reason ?? "none")",
                ])
        }
    }

    // MARK: What is published

    package mutating func publications(limit: Int) -> [FleetPublication] {
        // Somebody waits for these.
        let commands = commands.publications(limit: limit) { [keys] (members, box, topic) throws(SecretFileError) in
            try keys.payload(members, of: box, on: topic)
        }
        do throws(StoreError) {
            let now = store.clock.now
            // What the broker takes could not be noted, and would be published again after each connection.
            if cannotWrite { try store.saveTime() }
            try runHousekeeping(at: now)
            let payments = try duePayments(limit: limit - commands.count, at: now)
            let publications = try payments + reconciliations(limit: limit - commands.count - payments.count, at: now)
            if complaints.removeValue(forKey: "store") != nil { logger.notice("the store can be used again") }
            return commands + publications
        } catch {
            complain("store", "the store cannot be used", "\(error)")
            return commands
        }
    }

    private mutating func duePayments(limit: Int, at now: Moment) throws(StoreError) -> [FleetPublication] {
        let start = listeningSince ?? now.running
        var publications: [FleetPublication] = []
        var published: [Int64: UnderWay] = [:]
        var waiting: [(number: Int64, until: Duration)] = []
        var givenUp: [Int64] = []
        let due = try store.due(at: now.running, limit: limit + underWay.count)
        for name in due.endedGateways {
            logger.notice("a gateway has ended: others publish what it held", metadata: ["client_id": "\(name)"])
        }
        for number in due.unreadable {
            complain("payment \(number)", "a payment in the database cannot be read: it waits", "row \(number)")
            waiting.append((number, now.running + DeliveryRules.longestWait))
        }
        for entry in due.payments where underWay[entry.number] == nil && publications.count < limit {
            let (number, payment) = (entry.number, entry.payment)
            switch DeliveryRules.next(payment.waiting, to: boxes[payment.box], listeningSince: start, at: now.running) {
            case .publish:
                let topic = payment.box.topic(.payments)
                do throws(SecretFileError) {
                    let payload = try keys.payload(payment.notice.members, of: payment.box, on: topic)
                    publications.append(FleetPublication(id: number, topic: topic, payload: payload))
                    published[number] = .payment(sessionEpoch: boxes[payment.box]?.sessionEpoch)
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
            try store.settle(waiting: waiting, givenUp: givenUp, at: now)
            metrics.countGivenUp(givenUp.count)
            if !givenUp.isEmpty { callbacks?.eventsAreWaiting() }
        }
        // Behind everything that can fail: what is not returned is not under way.
        underWay.merge(published) { _, new in new }
        return publications
    }

    /// `reconciled` for boxes whose payments were published again a minute ago.
    private mutating func reconciliations(limit: Int, at now: Moment) throws(StoreError) -> [FleetPublication] {
        guard reconciles else { return [] }
        var publications: [FleetPublication] = []
        for (box, known) in boxes.reconciling where publications.count < limit {
            guard let reconciling = known.reconciling, known.isOnline(at: now.running),
                !underWay.values.contains(.reconciled(box))
            else { continue }
            guard let due = reconciling.due else {
                if try store.isPublishedAgain(box, in: reconciling.epoch) {
                    var known = known
                    let due = now.running + DeliveryRules.reconcilingWait
                    known.reconciling?.due = due
                    try store.write([box: known])
                    boxes.setReconciling(box, due: due)
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
                lastReconciled -= 1
                underWay[lastReconciled] = .reconciled(box)
                publications.append(FleetPublication(id: lastReconciled, topic: topic, payload: payload))
            } catch { complain("key \(box)", "a command waits for the box's key", "\(error)", box: box) }
        }
        return publications
    }

    /// Once a minute writes the time and when boxes were last seen.
    private mutating func runHousekeeping(at now: Moment) throws(StoreError) {
        if .monotonicNow >= nextHousekeeping {
            nextHousekeeping = .monotonicNow + .seconds(60)
            // Also when there are none.
            try store.write(boxes.seenStates)
            boxes.savedSeen()
        }
        if .monotonicNow >= nextPruning {
            // Also when it fails.
            nextPruning = .monotonicNow + .seconds(60)
            if try prune(at: now) { nextPruning = .monotonicNow + Self.pruningPause }
        }
    }

    /// Deletes what is old, in pieces, since others wait for each commit: of payments a thousand a second at least, and
    /// while many come four times as many.
    ///
    /// - Returns: whether there may be more.
    private func prune(at now: Moment) throws(StoreError) -> Bool {
        let lost = try store.giveUpCallbacks(
            before: now.running - CallbackRules.lifetime, limit: Self.pruningPiece, at: now)
        for (receiver, count) in lost {
            logger.error("callbacks given up", metadata: ["receiver": "\(receiver)", "count": "\(count)"])
        }
        metrics.count(givenUpCallbacks: lost)
        let isMore = try store.prune(before: now.running - keep, limit: Self.pruningPiece)
        return isMore || lost.values.reduce(0, +) == Self.pruningPiece
    }

    private mutating func complain(_ about: String, _ what: String, _ reason: String, box: BoxID? = nil) {
        // Boxes are many, and may all complain.
        if complaints.count > 10_000 { complaints = [:] }
        guard complaints.updateValue(reason, forKey: about) != reason else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        if let box { metadata["box"] = "\(box)" }
        logger.error("\(what)", metadata: metadata)
    }
}

extension DeliveryRules.Answer.First {
    /// - Returns: `nil` if the receipt does not say it.
    fileprivate init?(duplicate json: JSONValue) {
        guard let state = json["was"]?.string.flatMap(Receipt.State.init),
            [.stored, .announced, .expired, .cancelled].contains(state),
            let currency = json["currency"]?.string.flatMap(Currency.init),
            let money = json["amount"]?.string.flatMap({ try? Money($0, currency) })
        else { return nil }
        self.init(state, money)
    }
}
