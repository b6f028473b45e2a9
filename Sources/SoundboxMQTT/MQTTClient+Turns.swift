import SoundboxCore
import SoundboxSystem

extension MQTTClient {
    /// Drives a short-lived connection for one round: waits at most a second for something to arrive, and sends what is
    /// queued. Blocks.
    ///
    /// - Parameters:
    ///   - end: when to give up, on the clock of `Duration.monotonicNow`.
    ///   - answer: what is waited for.
    /// - Throws: ``MQTTError/timedOut(waitingFor:)`` after `end`; ``MQTTError/refused(broker:_:)`` when the broker
    ///   says no.
    func turn(until end: Duration, waitingFor answer: MQTTError.Answer) throws(MQTTError) -> ClientEvents {
        let rest = end - .monotonicNow
        guard rest > .zero else { throw .timedOut(waitingFor: answer) }
        let outcome = Result { () throws(MQTTError) in try read(waitingAtMost: min(rest, .seconds(1))) }
        let events = takeEvents()
        if let code = events.connectionCode, code != 0 {
            throw .refused(broker: broker, .init(code: code))
        }
        try outcome.get()
        try ping()
        try write()
        return events
    }
}
