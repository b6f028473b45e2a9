import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxGPIO

struct TestPanel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "panel", abstract: "Walk through every light and every button of a board.",
        discussion: """
            Shows each light and runs the motor, saying what is to be seen, and then waits for each button to be \
            pressed. Needs the lines, so a running box has to be stopped first: systemctl stop soundbox.
            """)

    @OptionGroup var board: BoardOptions

    @Option(help: ArgumentHelp("How long to wait for each button.", valueName: "seconds"))
    var wait = 30

    func run() async throws {
        let layout = try board.read()
        let panel = try GPIOPanel(layout)
        defer { panel.close() }
        for (color, name) in colors(of: layout) {
            try await show(PanelOutputs(color: color), on: panel, "the LED flashes three times\(name)")
        }
        if layout.vibration != nil {
            try await show(PanelOutputs(color: [], isVibrating: true), on: panel, "the motor runs three times")
        }
        let missing = try await pressEachButton(of: layout, on: panel)
        guard missing.isEmpty else {
            throw ValidationFailure(description: "not pressed, or not wired: \(missing.joined(separator: ", "))")
        }
        printLine("\(layout.name): every button works")
    }

    private func colors(of layout: BoardLayout) -> [(LightColor, String)] {
        let named: [(LightColor, String)] = [(.red, " in red"), (.green, " in green"), (.blue, " in blue")]
        let single = layout.leds.filter { $0.color != .white }.map(\.color)
        let ofOneColor = named.filter { single.contains($0.0) }
        return layout.leds.isEmpty ? [] : ofOneColor.isEmpty ? [(.white, "")] : ofOneColor
    }

    private func show(_ outputs: PanelOutputs, on panel: GPIOPanel, _ what: String) async throws {
        printLine("Look: \(what)")
        for _ in 1...3 {
            try panel.set(outputs)
            try await Task.sleep(for: .milliseconds(400))
            try panel.set(.off)
            try await Task.sleep(for: .milliseconds(400))
        }
    }

    /// - Returns: the buttons that were not pressed in time.
    private func pressEachButton(of layout: BoardLayout, on panel: GPIOPanel) async throws -> [String] {
        var missing: [String] = []
        let presses = Presses(panel.edges)
        for button in Button.allCases where layout.buttons[button] != nil {
            printLine("Press \(button.rawValue)")
            guard let pressed = await presses.next(within: .seconds(wait)) else {
                missing.append(button.rawValue)
                continue
            }
            if pressed == button {
                printLine("  it works")
            } else {
                printLine("  that was \(pressed.rawValue): the two are swapped, in the wiring or in the file")
                missing.append(button.rawValue)
            }
        }
        return missing
    }

    private struct ValidationFailure: Error, CustomStringConvertible { var description: String }
}

/// Waits for the presses of a panel, one at a time.
private actor Presses {
    private var waiting: CheckedContinuation<Button?, Never>?

    init(_ edges: AsyncStream<ButtonEdge>) {
        let take: @Sendable (Button) async -> Void = { [weak self] in await self?.answer($0) }
        Task {
            for await edge in edges where edge.isPressed { await take(edge.button) }
        }
    }

    func next(within limit: Duration) async -> Button? {
        let timer = Task {
            try await Task.sleep(for: limit)
            answer(nil)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { waiting = $0 }
    }

    private func answer(_ button: Button?) {
        waiting?.resume(returning: button)
        waiting = nil
    }
}
