import Glibc
import SoundboxCore
import SoundboxTesting
import Testing

@testable import SoundboxHardware

@Suite("Terminal panel", .timeLimit(.minutes(10)))
struct TerminalPanelTests {
    /// A pseudo-terminal: the panel gets `terminal`, the test types and watches on `keyboard`.
    private final class PseudoTerminal: Sendable {
        let keyboard: Int32
        let terminal: Int32

        init() throws {
            var keyboard: Int32 = -1
            var terminal: Int32 = -1
            try #require(openpty(&keyboard, &terminal, nil, nil, nil) == 0)
            self.keyboard = keyboard
            self.terminal = terminal
        }

        deinit {
            close(keyboard)
            close(terminal)
        }

        var settings: termios {
            var settings = termios()
            tcgetattr(terminal, &settings)
            return settings
        }

        func type(_ keys: String) {
            _ = keys.withCString { write(keyboard, $0, strlen($0)) }
        }

        /// What the panel has written; waits until there is something.
        func screen() -> String {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = read(keyboard, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test("Keys are clicks, and the contract is kept")
    func contract() async throws {
        let pseudo = try PseudoTerminal()
        let panel = try TerminalPanel(input: pseudo.terminal, output: pseudo.terminal)
        let keys: [Button: String] = [.volumeUp: "+", .volumeDown: "-", .replay: "r"]
        let contract = PanelContract(click: { pseudo.type(keys[$0] ?? "") })
        #expect(await contract.violations(of: panel) == [])
    }

    @Test("Other keys are passed over")
    func otherKeys() async throws {
        let pseudo = try PseudoTerminal()
        let panel = try TerminalPanel(input: pseudo.terminal, output: pseudo.terminal)
        pseudo.type("x\n\u{1B}[A=")
        var edges = panel.edges.makeAsyncIterator()
        #expect(await edges.next()?.button == .volumeUp)
    }

    @Test("The status line shows what has changed, and closing wipes it")
    func statusLine() throws {
        let pseudo = try PseudoTerminal()
        let panel = try TerminalPanel(input: pseudo.terminal, output: pseudo.terminal)
        let lit = PanelOutputs(isLit: true, isVibrating: false)
        panel.set(lit)
        #expect(pseudo.screen().contains("[LED *] [motor  ]"))
        panel.set(lit)
        panel.set(PanelOutputs(isLit: false, isVibrating: true))
        let second = pseudo.screen()
        #expect(second.contains("[LED  ] [motor ~]"))
        #expect(!second.contains("[LED *]"), "the same outputs are not written twice")
        panel.close()
        #expect(pseudo.screen() == "\r\u{1B}[K")
    }

    @Test("A ring stands in the status line, with the key that answers, and nothing of it drives the terminal")
    func ring() throws {
        let pseudo = try PseudoTerminal()
        let panel = try TerminalPanel(input: pseudo.terminal, output: pseudo.terminal)
        #expect(panel.hasScreen)
        panel.set(PanelOutputs(isLit: true, isVibrating: true))
        _ = pseudo.screen()
        panel.show("ring r-1\u{1B}[2J, 25 s left")
        #expect(pseudo.screen().contains("[LED *] [motor ~]  ring r-1\\u{1b}[2J, 25 s left  keys: + -, r answers"))
        panel.set(.off)
        #expect(pseudo.screen().contains("[LED  ] [motor  ]  ring r-1"))
        panel.show(nil)
        #expect(pseudo.screen().contains("[LED  ] [motor  ]  keys: + - r\r"))
        panel.close()
    }

    @Test("Keys come one by one and unseen, Ctrl-C still interrupts, and closing restores the settings")
    func settings() throws {
        let pseudo = try PseudoTerminal()
        let before = pseudo.settings
        let panel = try TerminalPanel(input: pseudo.terminal, output: pseudo.terminal)
        let during = pseudo.settings
        #expect(during.c_lflag & tcflag_t(ICANON | ECHO) == 0)
        #expect(during.c_lflag & tcflag_t(ISIG) != 0)
        panel.close()
        #expect(pseudo.settings.c_lflag == before.c_lflag)
        #expect(pseudo.settings.c_iflag == before.c_iflag)
        #expect(before.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO))
    }

    @Test("What is no terminal is refused")
    func noTerminal() throws {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let expected = PanelError.terminalUnavailable(reason: "standard input is none")
        #expect(throws: expected) { try TerminalPanel(input: null, output: null) }
    }
}
