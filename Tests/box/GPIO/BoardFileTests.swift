import Glibc
import SoundboxCore
import SoundboxGPIO
import Testing

@Suite("Board files")
struct BoardFileTests {
    /// The `board` directory of the repository.
    private var shipped: String {
        #filePath.replacing(/\/Tests\/.*$/, with: "/board")
    }

    @Test("The shipped boards can be read and describe themselves")
    func shippedBoards() throws {
        let names = BoardFile.names(in: shipped)
        #expect(names.contains("none") && names.contains("raspberry-pi"))
        for name in names {
            let layout = try BoardFile.read(name: name, in: shipped)
            #expect(layout.name == name)
            #expect(!layout.description.isEmpty)
        }
    }

    @Test("The Raspberry Pi has every part, on lines that the kernel names on all models")
    func raspberryPi() throws {
        let layout = try BoardFile.read(name: "raspberry-pi", in: shipped)
        func line(_ name: String) -> GPIOLine {
            GPIOLine(
                chipLabels: ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"],
                reference: .name(name, orOffset: Int(name.dropFirst(4))))
        }
        #expect(layout.leds == [LEDLine(OutputLine(line: line("GPIO27")))])
        #expect(layout.vibration == OutputLine(line: line("GPIO24")))
        #expect(
            layout.buttons == [
                .volumeUp: ButtonLine(line: line("GPIO17")), .volumeDown: ButtonLine(line: line("GPIO22")),
                .replay: ButtonLine(line: line("GPIO23")),
            ])
    }

    /// From `bcm2837-rpi-3-b.dts`, `bcm2711-rpi-4-b.dts` and, of Raspberry Pi's own kernel, `bcm2712-rpi-5-b.dts`: the
    /// first 28 lines of all three, but for the names of lines 0 to 15, which differ.
    @Test("Name and offset of each line of a Raspberry Pi mean one line of its device tree")
    func deviceTree() throws {
        let names = (0..<28).map { "GPIO\($0)" }
        let layout = try BoardFile.read(name: "raspberry-pi", in: shipped)
        let lines =
            layout.leds.map(\.output.line) + [layout.vibration?.line].compactMap(\.self)
            + layout.buttons.values.map(\.line)
        #expect(lines.count == 5)
        for line in lines {
            guard case .name(let name, let offset?) = line.reference else {
                Issue.record("\(line) has no offset")
                continue
            }
            #expect(offset > 15)
            #expect(names.indices.contains(offset) && names[offset] == name)
        }
    }

    @Test(
        "Every model of the Raspberry Pi has the same lines, on the chip that its header hangs on",
        arguments: [
            ("raspberry-pi-zero-2-w", "pinctrl-bcm2835"), ("raspberry-pi-3", "pinctrl-bcm2835"),
            ("raspberry-pi-4", "pinctrl-bcm2711"), ("raspberry-pi-5", "pinctrl-rp1"),
        ])
    func models(name: String, chip: String) throws {
        func lines(_ layout: BoardLayout) -> [GPIOLine] {
            layout.leds.map(\.output.line) + [layout.vibration?.line].compactMap(\.self)
                + Button.allCases.compactMap { layout.buttons[$0]?.line }
        }
        let model = lines(try BoardFile.read(name: name, in: shipped))
        let any = lines(try BoardFile.read(name: "raspberry-pi", in: shipped))
        #expect(model.map(\.reference) == any.map(\.reference))
        #expect(model.allSatisfy { $0.chipLabels == [chip] })
        #expect(any.allSatisfy { $0.chipLabels.contains(chip) })
    }

    @Test("A board may have a loudspeaker built in, which is the same for whoever needs its amplifier only")
    func loudspeaker() throws {
        let layout = try BoardFile.parse("description: d\nspeaker: {kind: small, resonance: 400}\n", name: "x")
        #expect(layout.loudspeaker == .small(resonance: 400))
        #expect(layout.amplifierOnly.loudspeaker == layout.loudspeaker)
        #expect(try BoardFile.parse("description: d\n", name: "x").loudspeaker == nil)
        let error = #expect(throws: YAMLError.self) {
            try BoardFile.parse("description: d\nspeaker: tiny\n", name: "x")
        }
        #expect(error?.description == "x.yaml:2: speaker: expected one of full, small, found \"tiny\"")
    }

    @Test("A light of several colours is a list; each of its lines has a colour")
    func colors() throws {
        let layout = try BoardFile.parse(
            """
            description: trial
            gpio:
              chip: c
              led: [{line: R, color: red}, {line: G, color: green, active_low: true}, {line: POWER}]
            """, name: "trial")
        func line(_ name: String) -> GPIOLine { GPIOLine(chipLabels: ["c"], reference: .name(name)) }
        #expect(
            layout.leds == [
                LEDLine(OutputLine(line: line("R")), color: .red),
                LEDLine(OutputLine(line: line("G"), isActiveLow: true), color: .green),
                LEDLine(OutputLine(line: line("POWER")), color: .white),
            ])
    }

    @Test(
        "An amplifier has a line, and the times it needs",
        arguments: [
            ("{line: AMP}", false, Duration.milliseconds(50), Duration.milliseconds(500)),
            ("{line: AMP, active_low: true, lead: 0ms, lag: 1m}", true, .zero, .seconds(60)),
        ])
    func amplifier(text: String, isActiveLow: Bool, lead: Duration, lag: Duration) throws {
        let layout = try BoardFile.parse("description: x\ngpio: {chip: c, amplifier: \(text)}", name: "trial")
        let line = GPIOLine(chipLabels: ["c"], reference: .name("AMP"))
        let amplifier = AmplifierLine(OutputLine(line: line, isActiveLow: isActiveLow), lead: lead, lag: lag)
        #expect(layout.amplifier == amplifier)
        #expect(layout.hasPanel)
        #expect(layout.amplifierOnly.amplifier == amplifier)
    }

    @Test("A button that the file names means what the file says, and the others what they usually do")
    func gestures() throws {
        let layout = try BoardFile.parse(
            """
            description: trial
            gpio:
              gestures:
                replay: {click: today}
              chords: [{buttons: [volume_up, volume_down], held: 5s, action: replay_previous}]
            """, name: "trial")
        var expected = GestureMap.usual
        expected.buttons[.replay] = .init(click: .today)
        expected.chords = [.init([.volumeUp, .volumeDown], heldFor: .seconds(5), means: .replayPrevious)]
        #expect(layout.gestures == expected)
        #expect(try BoardFile.read(name: "none", in: shipped).gestures == .usual)
    }

    @Test("A board without GPIO has no panel")
    func none() throws {
        #expect(try !BoardFile.read(name: "none", in: shipped).hasPanel)
        #expect(try !BoardFile.read(name: "none", in: "/nonexistent").hasPanel)
    }

    @Test("Every key of a line is read")
    func everyKey() throws {
        let layout = try BoardFile.parse(
            """
            description: trial
            gpio:
              chip: first
              led: {offset: 7, chip: [second, third], active_low: true}
              buttons:
                replay: {line: KEY, active_low: false, bias: pull_down, debounce: 5ms}
            """, name: "trial")
        let replay = ButtonLine(
            line: GPIOLine(chipLabels: ["first"], reference: .name("KEY")), isActiveLow: false, bias: .pullDown,
            debounce: .milliseconds(5))
        #expect(
            layout
                == BoardLayout(
                    name: "trial", description: "trial",
                    leds: [
                        LEDLine(
                            OutputLine(
                                line: GPIOLine(chipLabels: ["second", "third"], reference: .offset(7)),
                                isActiveLow: true))
                    ],
                    buttons: [.replay: replay]))
        #expect(layout.hasPanel)
    }

    @Test(
        "A mistake is reported with file, line and key",
        arguments: [
            ("gpio: {}", 1, "description", "missing"),
            ("description: x\ngpoi: {}", 2, "gpoi", "did you mean \"gpio\""),
            ("description: x\ngpio:\n  ledd: {}", 3, "gpio.ledd", "did you mean \"led\""),
            ("description: x\ngpio:\n  led: {line: A}", 3, "gpio.led", "on which chip"),
            ("description: x\ngpio:\n  chip: c\n  led: {active_low: true}", 4, "gpio.led", "which line"),
            (
                "description: x\ngpio:\n  chip: c\n  led: {line: A, offset: 1}\n  vibration: {offset: 1}", 5,
                "gpio.vibration.offset", "is used by gpio.led"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  led: {line: A, offset: 1}\n  vibration: {line: B, offset: 1}", 5,
                "gpio.vibration.offset", "offset 1 is used by gpio.led"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  led: {line: A, offset: 1}\n  vibration: {line: A}", 5,
                "gpio.vibration.line", "is used by gpio.led"
            ),
            ("description: x\ngpio:\n  chip: c\n  led: {offset: -1}", 4, "gpio.led.offset", "whole number"),
            ("description: x\ngpio:\n  chip: c\n  led: {line: A, bias: pull_up}", 4, "gpio.led.bias", "unknown key"),
            ("description: x\ngpio:\n  chip: []\n  led: {line: A}", 3, "gpio.chip", "label of a GPIO chip"),
            ("description: x\ngpio:\n  chip: ''\n  led: {line: A}", 3, "gpio.chip", "expected a name"),
            (
                "description: x\ngpio:\n  chip: c\n  buttons:\n    replay: {line: A, bias: up}", 5,
                "gpio.buttons.replay.bias", "expected one of"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  buttons:\n    replay: {line: A, debounce: 2s}", 5,
                "gpio.buttons.replay.debounce", "expected a time span"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  led: [{line: A, color: pink}]", 4, "gpio.led[0].color",
                "expected one of"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  led: [{line: A}, {line: A}]", 4, "gpio.led[1].line",
                "is used by gpio.led"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  amplifier: {line: A, lead: 3s}", 4, "gpio.amplifier.lead",
                "expected a time span"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  amplifier: {line: A, lag: 2m}", 4, "gpio.amplifier.lag",
                "expected a time span"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  amplifier: {line: A, led: 1s}", 4, "gpio.amplifier.led",
                "did you mean \"lead\""
            ),
            (
                "description: x\ngpio:\n  chip: c\n  led: {line: A}\n  amplifier: {line: A}", 5,
                "gpio.amplifier.line", "A is used by gpio.led already"
            ),
            ("description: x\ngpio:\n  gestures: {repla: {}}", 3, "gpio.gestures.repla", "did you mean \"replay\""),
            (
                "description: x\ngpio:\n  gestures:\n    replay: {click: sing}", 4, "gpio.gestures.replay.click",
                "expected one of"
            ),
            (
                "description: x\ngpio:\n  gestures:\n    replay: {hold: replay, long: today}", 4,
                "gpio.gestures.replay",
                "cannot have a double or long press as well"
            ),
            (
                "description: x\ngpio:\n  chords: [{buttons: [replay], held: 5s, action: today}]", 3,
                "gpio.chords[0].buttons", "two buttons or more"
            ),
            (
                "description: x\ngpio:\n  chords: [{buttons: [replay, volume_up], held: 1m, action: today}]", 3,
                "gpio.chords[0].held", "expected a time span"
            ),
            (
                "description: x\ngpio:\n  chords: [{buttons: [replay, volume_down], held: 10s, action: unprovision}]",
                3,
                "gpio.chords", "needs unprovision_warning on the same buttons"
            ),
            (
                """
                description: x
                gpio:
                  chords:
                    - {buttons: [replay, volume_down], held: 6s, action: unprovision_warning}
                    - {buttons: [replay, volume_down], held: 10s, action: unprovision}
                """, 3, "gpio.chords", "held 5 s less"
            ),
            (
                "description: x\ngpio:\n  gestures: {replay: {long: unprovision}}", 3, "gpio.gestures.replay.long",
                "for chords only"
            ),
            (
                "description: x\ngpio:\n  chip: c\n  buttons:\n    replai: {line: A}", 5, "gpio.buttons.replai",
                "did you mean \"replay\""
            ),
            (
                "description: x\ngpio:\n  chip: c\n  led: {line: A}\n  vibration:\n    line: A", 6,
                "gpio.vibration.line", "A is used by gpio.led already"
            ),
        ])
    func mistakes(text: String, line: Int, key: String, problem: String) throws {
        let error = try #require(throws: YAMLError.self) { try BoardFile.parse(text, name: "trial") }
        #expect(error.file == "trial.yaml")
        #expect(error.line == line)
        #expect(error.key == key)
        #expect(error.problem.contains(problem), "\(error)")
    }

    @Test("A board that is not there is answered with those that are", arguments: ["rasberry-pi", "../board/none", ""])
    func unknownBoard(name: String) throws {
        let error = try #require(throws: YAMLError.self) { try BoardFile.read(name: name, in: shipped) }
        #expect(error.problem.contains("the boards are generic, none, raspberry-pi, "))
        let nowhere = try #require(throws: YAMLError.self) {
            try BoardFile.read(name: "raspberry-pi", in: "/nonexistent")
        }
        #expect(nowhere.problem == "there is no such board; this folder holds no boards")
    }
}
