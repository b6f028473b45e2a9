import SoundboxCore

/// The contract of ``Panel``, tested on an unused panel. Works without a test framework:
///
///     let panel = FakePanel()
///     let contract = PanelContract(click: { panel.click($0, at: .zero) }, outputs: { panel.driven.last })
///     #expect(await contract.violations(of: panel) == [])
public struct PanelContract: Sendable {
    /// Presses and releases a button; `nil` if the panel has no buttons.
    public var click: (@Sendable (Button) async -> Void)?
    /// Reads the outputs; `nil` if they cannot be read.
    public var outputs: (@Sendable () async -> PanelOutputs?)?
    /// Reads the amplifier's switch; `nil` if it cannot be read.
    public var amplifier: (@Sendable () async -> Bool)?

    public init(
        click: (@Sendable (Button) async -> Void)? = nil, outputs: (@Sendable () async -> PanelOutputs?)? = nil,
        amplifier: (@Sendable () async -> Bool)? = nil
    ) {
        self.click = click
        self.outputs = outputs
        self.amplifier = amplifier
    }

    /// One sentence for every broken rule. The panel cannot be used afterwards. Waits without a timeout for missing
    /// edges and for the end of the stream, so give the test a time limit.
    public func violations(of panel: any Panel) async -> [String] {
        var violations = await drivingViolations(of: panel) + amplifierViolations(of: panel)
        var edges = panel.edges.makeAsyncIterator()
        if let click {
            var previous: Duration?
            for button in Button.allCases {
                await click(button)
                for isPressed in [true, false] {
                    guard let edge = await edges.next() else {
                        return violations + ["the edges ended before the panel was closed"]
                    }
                    if edge.button != button || edge.isPressed != isPressed {
                        violations.append("\(button) gave \(edge) where isPressed was to be \(isPressed)")
                    }
                    if let previous, edge.time < previous { violations.append("\(edge) is older than the one before") }
                    previous = edge.time
                }
            }
        }
        do {
            try panel.set(PanelOutputs(isLit: true, isVibrating: true))
            try panel.setAmplifier(true)
        } catch {
            violations.append("set before close threw \(error)")
        }
        panel.close()
        if let outputs, await outputs() != .off { violations.append("close left the outputs on") }
        if let amplifier, await amplifier() { violations.append("close left the amplifier on") }
        if let edge = await edges.next() { violations.append("\(edge) came although nothing was pressed") }
        panel.close()
        do {
            try panel.set(PanelOutputs(isLit: true, isVibrating: true))
            try panel.setAmplifier(true)
            panel.show("a line")
        } catch {
            violations.append("set after close threw \(error)")
        }
        if let outputs, await outputs() != .off { violations.append("set after close drove the outputs") }
        if let amplifier, await amplifier() { violations.append("the amplifier went on after close") }
        return violations
    }

    private func amplifierViolations(of panel: any Panel) async -> [String] {
        var violations: [String] = []
        if let amplifier, await amplifier() { violations.append("the amplifier is on at first") }
        for isOn in [true, true, false, true, false] {
            do {
                try panel.setAmplifier(isOn)
                // The lights are none of its business.
                try panel.set(.off)
            } catch { violations.append("setAmplifier(\(isOn)) threw \(error)") }
            if let amplifier, await amplifier() != isOn { violations.append("setAmplifier(\(isOn)) had no effect") }
        }
        return violations
    }

    private func drivingViolations(of panel: any Panel) async -> [String] {
        var violations: [String] = []
        for isLit in [true, false] {
            for isVibrating in [true, false] {
                let wanted = PanelOutputs(isLit: isLit, isVibrating: isVibrating)
                do { try panel.set(wanted) } catch { violations.append("set(\(wanted)) threw \(error)") }
                // The lights are none of its business.
                panel.show(isLit ? "a line" : nil)
                if let outputs, let seen = await outputs(), seen != wanted {
                    violations.append("set(\(wanted)) gave \(seen)")
                }
            }
        }
        return violations
    }
}
