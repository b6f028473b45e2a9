import SoundboxAudio
import SoundboxCore
import SoundboxGPIO
import Testing

@testable import SoundboxHardware

@Suite("What of a board's panel can be had")
struct BoardPanelTests {
    private let nowhere = GPIOLine(chipLabels: ["a chip that no machine has"], reference: .offset(3))

    @Test("Lines that are missing cost lights and buttons, and the sound where the amplifier hangs on one")
    func missingLines() throws {
        var layout = BoardLayout(name: "x", description: "x", vibration: OutputLine(line: nowhere))
        var problems: [String] = []
        let silent = BoardPanel(layout) { what, _ in problems.append(what) }
        #expect(problems == ["the panel does not work: no lights, no buttons"])
        #expect(silent.amplifier == nil)

        layout.amplifier = AmplifierLine(OutputLine(line: nowhere), lead: .milliseconds(70), lag: .seconds(1))
        problems = []
        let board = BoardPanel(layout) { what, _ in problems.append(what) }
        #expect(problems.last == "the amplifier cannot be switched on: no sound")
        let amplifier = try #require(board.amplifier)
        #expect(amplifier.lead == .milliseconds(70) && amplifier.lag == .seconds(1))
        let hand = amplifier.acquire()
        #expect(throws: PanelError.self) { try amplifier.turn(true, by: hand) }
    }

    @Test("A board without lines has nothing that could fail")
    func none() {
        let board = BoardPanel(BoardLayout(name: "none", description: "none")) { what, _ in Issue.record("\(what)") }
        #expect(board.amplifier == nil)
    }
}
