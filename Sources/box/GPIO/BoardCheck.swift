import SoundboxCore

/// Checks every line of a board, one by one, so that one bad wire does not hide the others.
///
///     for finding in BoardCheck(layout).findings() {
///         print(finding.part, finding.problem ?? "ok")
///     }
public struct BoardCheck: Sendable {
    /// The result for one line.
    public struct Finding: Sendable, Equatable {
        /// What the board file connects to it, such as `button volume_up`.
        public var part: String
        public var line: GPIOLine
        /// `nil` when it exists, is free, and is as the file says.
        public var problem: String?
    }

    private let layout: BoardLayout
    private let devices: String

    public init(_ layout: BoardLayout) { self.init(layout, devices: "/dev") }

    /// - Parameter devices: the directory of the `gpiochip*` files.
    init(_ layout: BoardLayout, devices: String) {
        self.layout = layout
        self.devices = devices
    }

    /// One finding for each line, in the order LEDs, motor, amplifier, buttons. Requests each line for a moment, and
    /// switches outputs only off. Takes a few dozen system calls.
    public func findings() -> [Finding] {
        var findings = layout.leds.map { led in
            finding(led.color == .white ? "LED" : "LED (\(led.color.name))", led.output.line) {
                chip throws(PanelError) in
                _ = try chip.requestOutput(led.output)
            }
        }
        if let motor = layout.vibration {
            findings.append(
                finding("vibration", motor.line) { chip throws(PanelError) in _ = try chip.requestOutput(motor) })
        }
        if let amplifier = layout.amplifier?.output {
            findings.append(
                finding("amplifier", amplifier.line) { chip throws(PanelError) in
                    _ = try chip.requestOutput(amplifier)
                })
        }
        for button in Button.allCases {
            guard let wiring = layout.buttons[button] else { continue }
            findings.append(
                finding("button \(button.rawValue)", wiring.line) { chip throws(PanelError) in
                    guard try chip.requestInput(wiring).isActive() else { return }
                    let level = wiring.isActiveLow ? "low" : "high"
                    throw .lineFailed(
                        name: wiring.line.description,
                        reason: "it is \(level), which the file calls pressed: let go of the button; otherwise it is "
                            + "wired to the wrong side, or active_low or bias is wrong")
                })
        }
        return findings
    }

    private func finding(
        _ part: String, _ line: GPIOLine, _ check: (GPIOChip) throws(PanelError) -> Void
    ) -> Finding {
        do throws(PanelError) {
            try check(try GPIOChip.open(labelled: line.chipLabels, in: devices))
            return Finding(part: part, line: line, problem: nil)
        } catch {
            return Finding(part: part, line: line, problem: error.description)
        }
    }
}

extension LightColor {
    /// The colour's parts, by name.
    fileprivate var name: String {
        [(LightColor.red, "red"), (.green, "green"), (.blue, "blue")].filter { contains($0.0) }.map(\.1)
            .joined(separator: " and ")
    }
}
