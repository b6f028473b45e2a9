import SoundboxCore
import SoundboxTesting
import Testing

@Suite("The fake panel and the panel contract", .timeLimit(.minutes(10)))
struct FakePanelTests {
    private func contract(for panel: FakePanel) -> PanelContract {
        PanelContract(
            click: { panel.click($0, at: .zero, for: .zero) }, outputs: { panel.driven.last },
            amplifier: { panel.isAmplifierOn })
    }

    @Test("The fake keeps the contract")
    func contract() async {
        let panel = FakePanel()
        #expect(await contract(for: panel).violations(of: panel) == [])
        #expect(panel.isClosed)
    }

    @Test("The contract notices outputs that are not driven")
    func failingOutputs() async {
        let panel = FakePanel()
        let error = PanelError.lineFailed(name: "GPIO27", reason: "No such device")
        panel.fail(with: error)
        let violations = await contract(for: panel).violations(of: panel)
        #expect(violations.count { $0.contains("threw \(error)") } == 10)
    }

    @Test("The contract notices an amplifier that stays on, or never goes on", arguments: [true, false])
    func stuckAmplifier(isOn: Bool) async {
        let violations = await PanelContract(amplifier: { isOn }).violations(of: FakePanel())
        #expect(violations.contains { $0.hasPrefix("setAmplifier(\(!isOn)) had no effect") })
        #expect(violations.contains("close left the amplifier on") == isOn)
    }

    @Test("The contract notices edges in the wrong order")
    func wrongOrder() async {
        let panel = FakePanel()
        let contract = PanelContract(click: { button in
            panel.deliver(ButtonEdge(button: button, isPressed: false, time: .zero))
            panel.deliver(ButtonEdge(button: button, isPressed: true, time: .zero))
        })
        #expect(await contract.violations(of: panel).count == 2 * Button.allCases.count)
    }

    @Test("The contract notices outputs that stay on after closing")
    func staysOn() async {
        let panel = FakePanel()
        let stuck = PanelOutputs(isLit: true, isVibrating: true)
        let violations = await PanelContract(outputs: { panel.isClosed ? stuck : nil }).violations(of: panel)
        #expect(violations == ["close left the outputs on", "set after close drove the outputs"])
    }
}
