import Glibc
import SoundboxCore

/// Says why a command has ended when libmosquitto aborts it, which it does on some packets of a broken broker. Without
/// this, the command would end with a signal and no word of what to do.
///
///     AbortedConnection.explain(to: "mqtt://broker.example")
///     try publisher.publish(payloads, timeout: .seconds(60))
public enum AbortedConnection {
    /// What the signal handler prints: made before, since a handler may not allocate.
    nonisolated(unsafe) private static var words: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var length = 0

    /// Call before the command connects, from one thread only. From then on SIGABRT prints one line on standard error
    /// and ends the program with ``EXIT_FAILURE``.
    public static func explain(to broker: String) {
        let text = """
            \(StandardOutput.program): \(broker.printable): what it sent made libmosquitto abort this command \
            (SIGABRT), such as a property that MQTT 5 does not know: try broker.protocol: "3.1.1" in soundbox.yaml, \
            and tell who runs the broker\n
            """
        (words, length) = (strdup(text), text.utf8.count)
        signal(SIGABRT) { _ in
            _ = write(STDERR_FILENO, AbortedConnection.words, AbortedConnection.length)
            _exit(EXIT_FAILURE)
        }
    }
}
