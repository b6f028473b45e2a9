import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// A panel for trials on a computer: the keys `+`, `-` and `r` are the buttons. A status line is LED and motor, and
/// shows a ring.
///
///     let panel = try TerminalPanel()
///     panel.set(PanelOutputs(isLit: true, isVibrating: false))
///     panel.close()
///
/// A key is a press and a release at once; holding it down gives clicks at the keyboard's own rate. Ctrl-C still
/// interrupts the program. The terminal gets its settings back when the panel is closed.
public final class TerminalPanel: Panel {
    private struct Display {
        var shown: PanelOutputs?
        var line: String?
        var isClosed = false
    }

    public let edges: AsyncStream<ButtonEdge>
    /// If the terminal is gone, nobody can read a failure.
    public var failure: PanelError? { nil }
    private let input: Int32
    /// Where the status line is written; `nil` if it is no terminal.
    private let screen: Int32?
    private let settings: termios
    private let display = Mutex(Display())
    private let stop: WakeUp
    private let readerEnded = BlockingQueue<Never>()

    /// Takes the terminal over. Does not wait for a key.
    ///
    /// - Parameters:
    ///   - input: a terminal whose foreground process group is this process's.
    ///   - output: for the status line, which is omitted if this is no terminal.
    /// - Throws: ``PanelError/terminalUnavailable(reason:)``.
    public init(input: Int32 = STDIN_FILENO, output: Int32 = STDERR_FILENO) throws(PanelError) {
        func unavailable(_ reason: String) -> PanelError {
            .terminalUnavailable(reason: reason)
        }
        var settings = termios()
        guard isatty(input) == 1, tcgetattr(input, &settings) == 0 else { throw unavailable("standard input is none") }
        // Changing its terminal would stop a background job.
        let foreground = tcgetpgrp(input)
        guard foreground == -1 || foreground == getpgrp() else { throw unavailable("this is a background job") }
        let stop: WakeUp
        do { stop = try WakeUp() } catch { throw unavailable(error.description) }
        var keyByKey = settings
        keyByKey.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Without this, Ctrl-S would block the next status line, and with it the caller.
        keyByKey.c_iflag &= ~tcflag_t(IXON)
        guard tcsetattr(input, TCSANOW, &keyByKey) == 0 else { throw unavailable("its settings cannot be changed") }

        self.input = input
        self.settings = settings
        self.stop = stop
        screen = isatty(output) == 1 ? output : nil
        let (edges, continuation) = AsyncStream.makeStream(of: ButtonEdge.self, bufferingPolicy: .bufferingNewest(64))
        self.edges = edges
        startThread(named: "terminal keys") { [stop, readerEnded] in
            Self.readKeys(from: input, until: stop, to: continuation)
            continuation.finish()
            readerEnded.finish()
        }
    }

    deinit { close() }

    /// Writes the status line again if it has changed.
    public func set(_ outputs: PanelOutputs) {
        display.withLock { display in
            guard !display.isClosed, display.shown != outputs else { return }
            display.shown = outputs
            write(Self.statusLine(for: outputs, beside: display.line))
        }
    }

    public var hasScreen: Bool { screen != nil }

    /// Writes the status line again if it has changed.
    public func show(_ line: String?) {
        display.withLock { display in
            guard !display.isClosed, display.line != line else { return }
            display.line = line
            write(Self.statusLine(for: display.shown ?? .off, beside: line))
        }
    }

    /// A computer has no such line: its loudspeakers are always on.
    public func setAmplifier(_ isOn: Bool) {}

    /// Waits for the key reader, which ends within a few system calls.
    public func close() {
        display.withLock { display in
            guard !display.isClosed else { return }
            display.isClosed = true
            write("\r\u{1B}[K")
            var settings = settings
            tcsetattr(input, TCSANOW, &settings)
        }
        stop.signal()
        _ = readerEnded.next()
    }

    /// The button of a key; `=` and `_` are plus and minus with the other state of the shift key.
    static func button(forKey key: UInt8) -> Button? {
        switch UnicodeScalar(key) {
        case "+", "=": .volumeUp
        case "-", "_": .volumeDown
        case "r", "R": .replay
        default: nil
        }
    }

    /// Ends with the cursor at the line's start, so that the next line of the log overwrites it.
    static func statusLine(for outputs: PanelOutputs, beside line: String? = nil) -> String {
        let led = outputs.isLit ? "[LED *]" : "[LED  ]"
        let motor = outputs.isVibrating ? "[motor ~]" : "[motor  ]"
        let words = line.map { "  \($0.printable)  keys: + -, r answers" } ?? "  keys: + - r"
        return "\r\u{1B}[K\(led) \(motor)\(words)\r"
    }

    private func write(_ text: String) {
        guard let screen else { return }
        var text = text
        // An error is ignored: if the terminal is gone, nobody sees the line.
        text.withUTF8 { _ = Glibc.write(screen, $0.baseAddress, $0.count) }
    }

    /// Returns when stopped, or when the terminal is gone. Blocks in between.
    private static func readKeys(
        from input: Int32, until stop: WakeUp, to edges: AsyncStream<ButtonEdge>.Continuation
    ) {
        var keys = [UInt8](repeating: 0, count: 64)
        while true {
            var polled = [input, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&polled, nfds_t(polled.count), -1) < 0 {
                if errno == EINTR { continue }
                return
            }
            if polled[1].revents != 0 { return }
            let count = read(input, &keys, keys.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            let now = Duration.monotonicNow
            for button in keys.prefix(count).compactMap(button(forKey:)) {
                edges.yield(ButtonEdge(button: button, isPressed: true, time: now))
                edges.yield(ButtonEdge(button: button, isPressed: false, time: now))
            }
        }
    }
}
