import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The panel follows the box", .timeLimit(.minutes(10)))
struct PanelServiceTests {
    private let panel = FakePanel()
    private let state = BoxState(volume: Volume(80))
    private let commands = Journal<Command>()
    /// Presses that may answer a ring.
    private let answers = Journal<Void>()

    /// Runs the service while `body` runs.
    private func withService(_ panel: FakePanel? = nil, _ body: @Sendable @escaping () async throws -> Void)
        async throws
    {
        let panel = panel ?? self.panel
        let service = PanelService(
            panel: panel, gestures: .usual, state: state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            perform: { [commands] in commands.append($0) },
            answer: { [state, answers] in
                guard state.snapshot.ring != nil else { return false }
                state.update { $0.ring = nil }
                answers.append(())
                return true
            })
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            try await body()
            panel.close()
            group.cancelAll()
        }
    }

    /// Waits for the command. Others may come before it: on a machine that stands still for half a second, a click is
    /// a held button.
    private func expect(_ command: Command) async throws {
        try await commands.next { $0 == command ? () : nil }
    }

    @Test("A click becomes its command")
    func clicks() async throws {
        try await withService { [panel] in
            panel.click(.volumeUp, at: .seconds(2))
            try await expect(.volume(.up))
            panel.click(.volumeDown, at: .seconds(3))
            try await expect(.volume(.down))
        }
    }

    @Test("A panel without lights is not driven, and its buttons work")
    func buttonsOnly() async throws {
        let buttons = FakePanel(hasOutputs: false)
        try await withService(buttons) {
            state.update { $0.announcement = 1 }
            buttons.click(.volumeUp, at: .seconds(2))
            try await expect(.volume(.up))
            #expect(buttons.driven.isEmpty)
        }
    }

    @Test(
        "Every gesture has its command",
        arguments: [
            (.volumeUp, .volume(.up)), (.volumeDown, .volume(.down)), (.replay, .play(.last)),
            (.replayPrevious, .play(.beforeLast)), (.today, .play(.today)), (.network, .play(.network)),
            (.unprovisionWarning, .warnOfUnprovisioning), (.unprovision, .unprovision),
        ] as [(Gestures.Action, Command)])
    func gestures(action: Gestures.Action, command: Command) {
        #expect(Command(action) == command)
    }

    @Test("Buttons that can no longer be read are told about, with the cause")
    func failedButtons() async throws {
        let lines = Journal<String>()
        let logger = Logger(label: "test") { _ in JournalLogHandler(lines: lines) }
        let service = PanelService(panel: panel, gestures: .usual, state: state, logger: logger, perform: { _ in })
        panel.failButtons(with: .lineFailed(name: "GPIO17", reason: "its GPIO chip is gone"))
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            let line = try await lines.next()
            #expect(line == "the buttons failed reason=GPIO line \"GPIO17\" failed: its GPIO chip is gone")
            group.cancelAll()
        }
    }

    private func someRing(_ text: String = "") throws -> BoxState.Ring {
        BoxState.Ring(id: try CommandID("r-1"), text: text, deadline: .monotonicNow + .seconds(600))
    }

    @Test("While it rings, a press of the replay button answers and means nothing else; the volume keys keep theirs")
    func answer() async throws {
        try await withService { [panel, state, answers, commands] in
            let ring = try someRing()
            state.update { $0.ring = ring }
            panel.click(.volumeUp, at: .seconds(2))
            try await expect(.volume(.up))
            panel.deliver(ButtonEdge(button: .replay, isPressed: true, time: .seconds(3)))
            // Before it is released.
            try await answers.next()
            panel.deliver(ButtonEdge(button: .replay, isPressed: false, time: .seconds(3.1)))
            panel.click(.replay, at: .seconds(3.2))
            panel.click(.replay, at: .seconds(4))
            try await expect(.play(.last))
            #expect(answers.entries.count == 1)
            #expect(commands.entries.count { $0 == .play(.last) || $0 == .play(.beforeLast) } == 1)
        }
    }

    @Test("A ring has its light and motor, also under an announcement, and the light is the old one afterwards")
    func ringing() async throws {
        try await withService { [panel, state] in
            state.update { $0.connection = .subscribed }
            let ring = try someRing()
            state.update {
                $0.announcement = 1
                $0.ring = ring
            }
            while !panel.driven.contains(where: \.isVibrating) { await Task.yield() }
            let before = panel.driven.count
            state.update {
                $0.announcement = nil
                $0.ring = nil
            }
            while !panel.driven.dropFirst(before).contains(PanelOutputs(color: .green)) { await Task.yield() }
        }
    }

    @Test("A kind of announcement may have light and vibration of its own")
    func ownPattern() async throws {
        try await withService { [panel, state] in
            let cyan = PanelOutputs(color: .cyan, isVibrating: true)
            state.update {
                $0.announcement = 1
                $0.announcementPattern = OutputPattern(ending: .hold(cyan))
            }
            while panel.driven.last != cyan { await Task.yield() }
        }
    }

    @Test("A panel with a screen shows who calls, what it is about, and how long there is to answer")
    func screen() async throws {
        let screen = FakePanel(hasScreen: true)
        try await withService(screen) { [state] in
            let ring = try someRing("三号桌\u{1B}叫人")
            state.update { $0.ring = ring }
            while screen.lines.isEmpty { await Task.yield() }
            let line = try #require(screen.lines.first ?? nil)
            #expect(line.hasPrefix("ring \"r-1\" \"三号桌\\u{1b}叫人\", ") && line.hasSuffix(" s left"), "\(line)")
            state.update { $0.ring = nil }
            while screen.lines.last != .some(nil) { await Task.yield() }
        }
    }

    @Test("A button that is held repeats")
    func hold() async throws {
        try await withService { [panel] in
            panel.deliver(ButtonEdge(button: .volumeUp, isPressed: true, time: .seconds(1)))
            for _ in 1...3 { try await expect(.volume(.up)) }
        }
    }

    @Test(
        "The most urgent of what holds is shown",
        arguments: [
            (FeedConnection.connecting, 80, nil, nil, Indication.booting),
            (.subscribed, 80, nil, nil, .online),
            (.subscribed, 0, nil, nil, .muted),
            (.disconnected(reason: "x", retryIn: .seconds(1)), 0, nil, nil, .offline),
            (.subscribed, 80, 1, nil, .announcing),
            (.subscribed, 80, 1, "no card", .fault),
        ] as [(FeedConnection, Int, Int?, String?, Indication)])
    func indication(
        connection: FeedConnection, volume: Int, announcement: Int?, fault: String?, expected: Indication
    ) {
        var snapshot = BoxState.Snapshot(volume: Volume(volume))
        snapshot.connection = connection
        snapshot.announcement = announcement
        snapshot.audioFault = fault
        #expect(Indication(snapshot) == expected)
    }

    @Test("A notice that was refused does not light a fault, which would hide for a day that the box is offline")
    func refused() {
        var snapshot = BoxState(volume: Volume(80)).snapshot
        snapshot.connection = .disconnected(reason: "", retryIn: .seconds(1))
        _ = snapshot.refusals.add(
            [.init(id: nil, reason: "amount", at: Timestamp(millisecondsSince1970: 0))], at: .zero)
        #expect(!snapshot.warnings.isEmpty && Indication(snapshot) == .offline)
    }

    @Test(
        "Once it has been offline, a new attempt looks offline; an update is shown before all else, a ring before a fault"
    )
    func later() throws {
        var snapshot = BoxState.Snapshot(volume: Volume(80))
        snapshot.isStarting = false
        #expect(Indication(snapshot) == .offline)
        snapshot.audioFault = "no card"
        snapshot.ring = BoxState.Ring(id: try CommandID("r-1"), text: "", deadline: .zero)
        #expect(Indication(snapshot) == .ringing)
        snapshot.isUpdating = true
        #expect(Indication(snapshot) == .updating)
    }
}

/// Writes messages with their reasons into a journal.
private struct JournalLogHandler: LogHandler {
    let lines: Journal<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append("\(event.message) reason=\(event.metadata?["reason"] ?? "none")")
    }
}
