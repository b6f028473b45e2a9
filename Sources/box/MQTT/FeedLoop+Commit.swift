import SoundboxCore
import SoundboxSystem

extension FeedLoop {
    /// Commits what arrived, and notes what was too large.
    mutating func store(_ events: SessionEvents) throws(MQTTError) {
        if !events.messages.isEmpty { Timeline.shared.mark(.packetRead) }
        var batch: [FeedMessage] = []
        batch.reserveCapacity(events.messages.count)
        var strays: [StrayMessage] = []
        var isLive = backlog.isOver(at: .monotonicNow)
        for message in events.messages {
            if backlog.endsWith(message) {
                isLive = true
                continue
            }
            guard let (topic, isCertain) = topic(message.topic) else {
                if settings.topics.match(message.topic) == .foreign {
                    strays.append(StrayMessage(name: message.topic, payload: message.payload))
                }
                continue
            }
            batch.append(
                FeedMessage(
                    topic: topic, payload: message.payload, isRetained: message.isRetained,
                    isLive: isLive && !message.isRetained, doubtfulName: isCertain ? nil : message.topic,
                    expiry: message.expiry.map { .seconds($0) }))
            // A retained message is also sent at the QoS that it was published with, but the broker keeps it.
            if topic == .payments, message.qos == 0, !message.isRetained { faults.noticeCameAtQoS0(at: .monotonicNow) }
        }
        do {
            let stored = batch.isEmpty ? 0 : try delegate.commit(batch)
            if !strays.isEmpty { try delegate.strayed(strays) }
            for message in events.oversized {
                guard let (topic, _) = topic(message.topic) else {
                    if settings.topics.match(message.topic) == .foreign {
                        try delegate.strayed([StrayMessage(name: message.topic, payload: [])])
                    }
                    continue
                }
                try delegate.skipped(topic, bytes: message.bytes)
            }
            backlog.stored(stored, at: .monotonicNow)
        } catch {
            throw .refusedByBox(reason: "\(error)")
        }
    }

    /// - Returns: `nil` for a topic that this box does not listen to; `isCertain` is whether the name belongs to this
    ///   box alone. The first foreign name of a connection is logged.
    private mutating func topic(_ name: String) -> (FeedMessage.Topic, isCertain: Bool)? {
        let match = settings.topics.match(name)
        if case .own(.payments) = match { return (.payments, true) }
        if case .own(.commands) = match { return (.commands, true) }
        // A trial's message, or a marker of an earlier connection.
        if case .own(.probe) = match { return nil }
        if !isStrangeTopicTold {
            log("a message came under \"\(name.prefix(200))\", which is \(match.meaning)")
        }
        isStrangeTopicTold = true
        guard case .rewritten(let topic, let isCertain) = match else { return nil }
        return switch topic {
        case .payments: (.payments, isCertain)
        case .commands: (.commands, isCertain)
        case .receipts, .replies, .status, .probe: nil
        }
    }
}

extension Topics.Match {
    fileprivate var meaning: String {
        switch self {
        case .own: "not a topic that this box listens to: ignored"
        case .rewritten(let topic, _): "what the broker makes of this box's topic of \(topic.rawValue)"
        case .foreign: "none of this box's topics: refused"
        }
    }
}
