import Glibc

/// A process that ended while it was connected to the broker, in words.
///
///     let end = ConnectionEnd(signal: SIGABRT)
///     print(end.reason(brokers: ["mqtt://broker.example:1883"]))
public struct ConnectionEnd: Sendable, Equatable {
    /// The variable of the environment that has the signal, for a check-up after such an end.
    public static let key = "SOUNDBOX_CONNECTION_END"

    /// What to do.
    public static let advice =
        "set broker.protocol to \"3.1.1\", and ask who runs the broker what it sends; without TLS, look at the line as "
        + "well"

    let signal: Int32

    public init(signal: Int32) { self.signal = signal }

    /// `nil` if this process has not been told of such an end.
    static var known: ConnectionEnd? {
        getenv(key).flatMap { Int32(String(cString: $0)) }.map(ConnectionEnd.init(signal:))
    }

    /// - Parameter brokers: their addresses; empty if they are not known.
    public func reason(brokers: [String]) -> String {
        let name = strsignal(signal).map { String(cString: $0) } ?? "unknown"
        let broker = brokers.isEmpty ? "the broker" : brokers.joined(separator: " or ")
        return "the connection to \(broker) has ended the program with signal \(signal) (\(name)): something came that "
            + "libmosquitto cannot read"
    }
}
