import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// LEDs, vibration motor, amplifier and buttons on GPIO lines, through libgpiod.
///
///     let panel = try GPIOPanel(layout)
///     try panel.set(PanelOutputs(color: .blue))
///     panel.close()
///
/// The buttons share one thread, which sleeps in the kernel until one of them changes. Edges are debounced: presses and
/// releases of a button alternate. Their times are CLOCK_MONOTONIC.
public final class GPIOPanel: Panel {
    private struct Outputs {
        var leds: [(line: RequestedLine, color: LightColor)] = []
        var vibration: RequestedLine?
        var amplifier: RequestedLine?
    }

    /// Shared with the buttons' thread.
    private final class Failure: Sendable {
        let error = Mutex<PanelError?>(nil)
    }

    public let edges: AsyncStream<ButtonEdge>
    private let outputs: Mutex<Outputs>
    private let buttonFailure: Failure
    private let stop: WakeUp
    /// Finished when the buttons are released and ``edges`` has ended.
    private let watchEnded = BlockingQueue<Never>()

    /// Requests every line of the layout, or none: a panel with half its lines would hide the wiring fault.
    ///
    /// Takes some dozen system calls. Outputs are off from the first moment.
    public convenience init(_ layout: BoardLayout) throws(PanelError) {
        try self.init(layout, devices: "/dev")
    }

    /// - Parameter devices: the directory of the `gpiochip*` files.
    init(_ layout: BoardLayout, devices: String) throws(PanelError) {
        var chips: [[String]: GPIOChip] = [:]
        func chip(of line: GPIOLine) throws(PanelError) -> GPIOChip {
            if let chip = chips[line.chipLabels] { return chip }
            let chip = try GPIOChip.open(labelled: line.chipLabels, in: devices)
            chips[line.chipLabels] = chip
            return chip
        }
        var outputs = Outputs()
        for led in layout.leds {
            outputs.leds.append((try chip(of: led.output.line).requestOutput(led.output), led.color))
        }
        if let motor = layout.vibration { outputs.vibration = try chip(of: motor.line).requestOutput(motor) }
        if let amplifier = layout.amplifier {
            outputs.amplifier = try chip(of: amplifier.output.line).requestOutput(amplifier.output)
        }
        var buttons: [(button: Button, line: RequestedLine, debounce: Duration)] = []
        for button in Button.allCases {
            guard let wiring = layout.buttons[button] else { continue }
            buttons.append((button, try chip(of: wiring.line).requestInput(wiring), wiring.debounce))
        }
        let stop: WakeUp
        do { stop = try WakeUp() } catch { throw .lineFailed(name: "buttons", reason: error.description) }
        // A press is stale after seconds, so a consumer that hangs must not find hundreds of them.
        let (edges, continuation) = AsyncStream.makeStream(of: ButtonEdge.self, bufferingPolicy: .bufferingNewest(64))
        let watch = try ButtonWatch(buttons, until: stop) { continuation.yield($0) }

        self.edges = edges
        self.outputs = Mutex(outputs)
        self.stop = stop
        buttonFailure = Failure()
        startThread(named: "buttons") { [watchEnded, buttonFailure] in
            do throws(PanelError) { try watch.run() } catch { buttonFailure.error.withLock { $0 = error } }
            continuation.finish()
            watchEnded.finish()
        }
    }

    deinit { close() }

    public var failure: PanelError? { buttonFailure.error.withLock(\.self) }

    /// - Throws: ``PanelError/lineFailed(name:reason:)`` when the chip is gone. Does nothing after ``close()``.
    public func set(_ outputs: PanelOutputs) throws(PanelError) {
        try self.outputs.withLock { lines throws(PanelError) in
            for led in lines.leds { try led.line.set(!led.color.isDisjoint(with: outputs.color)) }
            try lines.vibration?.set(outputs.isVibrating)
        }
    }

    /// - Throws: ``PanelError/lineFailed(name:reason:)`` when the chip is gone. Does nothing after ``close()``.
    public func setAmplifier(_ isOn: Bool) throws(PanelError) {
        try outputs.withLock { lines throws(PanelError) in try lines.amplifier?.set(isOn) }
    }

    /// Waits for the button thread, which ends within a few system calls.
    public func close() {
        outputs.withLock { lines in
            // A chip that is gone cannot be switched off; its line is released all the same.
            for led in lines.leds { try? led.line.set(false) }
            try? lines.vibration?.set(false)
            try? lines.amplifier?.set(false)
            lines = Outputs()
        }
        stop.signal()
        _ = watchEnded.next()
    }
}
