import SoundboxCore
import SoundboxSystem

/// For a short-lived connection without a feed. Everything here blocks.
extension Session {
    /// Waits until the broker accepts the connection that ``connect(openingLimit:)`` has begun. If it does not speak
    /// MQTT 5, the same address is asked for 3.1.1.
    ///
    /// - Parameter end: when to give up, on the clock of `Duration.monotonicNow`.
    func awaitAcceptance(until end: Duration) throws(MQTTError) {
        while true {
            do throws(MQTTError) {
                while try turn(until: end, waitingFor: .acceptance(by: broker)).answer == nil {}
                return
            } catch { try goBack(after: error) }
        }
    }

    /// Subscribes to a topic.
    ///
    /// - Returns: the granted QoS, 0 to 2.
    func subscribe(to topic: Topic, until end: Duration) throws(MQTTError) -> UInt8 {
        let id = try subscribe(to: topic)
        try write()
        while true {
            let events = try turn(until: end, waitingFor: .subscription)
            guard let answer = events.subscriptions.first(where: { $0.id == id }) else { continue }
            guard answer.grantedQoS <= 2 else { throw .subscriptionRefused(topic: topics[topic], answer.reason) }
            return answer.grantedQoS
        }
    }

    /// Runs a short-lived connection for one round: waits at most a second for something to arrive, and sends what is
    /// queued. Blocks.
    ///
    /// - Parameters:
    ///   - end: when to give up, on the clock of `Duration.monotonicNow`.
    ///   - answer: the awaited answer.
    /// - Throws: ``MQTTError/timedOut(waitingFor:)`` after `end`; ``MQTTError/refused(broker:_:)`` when the broker
    ///   refuses the connection.
    func turn(until end: Duration, waitingFor answer: MQTTError.Answer) throws(MQTTError) -> SessionEvents {
        let rest = end - .monotonicNow
        guard rest > .zero else { throw .timedOut(waitingFor: answer) }
        let outcome = Result { () throws(MQTTError) in try read(waitingAtMost: min(rest, .seconds(1))) }
        let events = takeEvents()
        if let refusal = events.answer?.refusal { throw .refused(broker: broker, refusal) }
        try outcome.get()
        try ping()
        try write()
        return events
    }
}
