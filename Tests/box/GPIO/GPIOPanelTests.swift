import Glibc
import SoundboxCore
import SoundboxTesting
import Testing

@testable import SoundboxGPIO

@Suite("GPIO panel", .timeLimit(.minutes(10)))
struct GPIOPanelTests {
    private let layout = BoardLayout(
        name: "trial", description: "trial",
        leds: [
            LEDLine(
                OutputLine(line: GPIOLine(chipLabels: ["pinctrl-bcm2835", "pinctrl-rp1"], reference: .name("GPIO27"))))
        ])

    /// A new directory with these empty files, deleted afterwards.
    private func withDirectory(files: [String], _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/soundbox-gpio-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer {
            files.forEach { unlink("\(directory)/\($0)") }
            rmdir(directory)
        }
        for file in files { close(open("\(directory)/\(file)", O_CREAT | O_WRONLY, 0o600)) }
        try body(directory)
    }

    @Test("Without any chip the error names the labels that were looked for")
    func noChip() throws {
        try withDirectory(files: ["null"]) { directory in
            let expected = PanelError.chipNotFound(
                label: "pinctrl-bcm2835, pinctrl-rp1", reason: "there is no \(directory)/gpiochip*")
            #expect(throws: expected) { try GPIOPanel(layout, devices: directory) }
        }
    }

    @Test("A device that is no GPIO chip is passed over and told about")
    func noGPIOChip() throws {
        try withDirectory(files: ["gpiochip0"]) { directory in
            let error = try #require(throws: PanelError.self) { try GPIOPanel(layout, devices: directory) }
            #expect("\(error)".contains("cannot open \(directory)/gpiochip0: Inappropriate ioctl for device"))
        }
    }

    @Test("A layout without lines needs no chip, and its edges end on closing")
    func empty() async throws {
        let panel = try GPIOPanel(BoardLayout(name: "none", description: "none"), devices: "/nonexistent")
        #expect(await PanelContract().violations(of: panel) == [])
    }

    @Test("A panel that is dropped ends its edges")
    func dropped() async throws {
        var panel: GPIOPanel? = try GPIOPanel(BoardLayout(name: "none", description: "none"))
        let edges = try #require(panel?.edges)
        panel = nil
        for await edge in edges { Issue.record("\(edge) came from nowhere") }
    }

    @Test("An amplifier whose line cannot be had is told with every attempt to switch it")
    func amplifierFailure() throws {
        let error = PanelError.lineNotFound(name: "AMP", chip: "c")
        #expect(throws: error) { try NoPanel(amplifierFailure: error).setAmplifier(true) }
    }

    @Test("The panel of a board without GPIO keeps the contract")
    func noPanel() async {
        #expect(await PanelContract().violations(of: NoPanel()) == [])
    }
}
