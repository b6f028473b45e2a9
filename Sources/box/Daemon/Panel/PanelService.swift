import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem

/// Connects the panel: lights follow the box's state, buttons become commands.
///
/// If the panel fails, payments are still announced.
struct PanelService: Service, Feature {
    let panel: any Panel
    let gestures: GestureMap
    let state: BoxState
    let logger: Logger
    let perform: @Sendable (Command) -> Void
    /// Called at a press that may answer a ring; returns whether something rang. Must not block.
    let answer: @Sendable () -> Bool

    init(in box: BoxContext, _ commands: CommandHandler, _ announcer: AnnouncerService) {
        self.init(
            panel: box.panel, gestures: box.gestures, state: box.state, logger: box.logger, perform: commands.perform,
            answer: announcer.answer)
    }

    init(
        panel: any Panel, gestures: GestureMap, state: BoxState, logger: Logger,
        perform: @escaping @Sendable (Command) -> Void, answer: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.panel, self.gestures, self.state, self.logger) = (panel, gestures, state, logger)
        (self.perform, self.answer) = (perform, answer)
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            // Without outputs, patterns would only wake the processor ten times a second during speech.
            if panel.hasOutputs { group.addTask { await showState() } }
            if panel.hasScreen { group.addTask { await showRing() } }
            group.addTask { await readButtons() }
        }
        panel.close()
    }

    private func showState() async {
        var shown: (indication: Indication, announcement: Int?, ring: CommandID?)?
        var lights: Task<Void, Never>?
        for await snapshot in state.changes().cancelOnGracefulShutdown() {
            let indication = Indication(snapshot)
            // Two announcements in a row have the same indication, but the second one must vibrate too. During a ring,
            // announcements make no difference; the next ring starts its pattern again.
            let announcement = indication == .ringing ? nil : snapshot.announcement
            let isSame =
                shown?.indication == indication && shown?.announcement == announcement
                && shown?.ring == snapshot.ring?.id
            guard !isSame else { continue }
            shown = (indication, announcement, snapshot.ring?.id)
            lights?.cancel()
            await lights?.value
            lights = Task { await play(snapshot.pattern(of: indication)) }
        }
        lights?.cancel()
        await lights?.value
    }

    private func play(_ pattern: OutputPattern) async {
        do throws(PanelError) { try await panel.play(pattern) } catch {
            logger.error("the lights failed", metadata: ["reason": "\(error)"])
            state.update { $0.panelFault = "the lights failed: \(error)" }
        }
    }

    /// Shows the current ring on the screen, and how long it can be answered.
    private func showRing() async {
        var shown: BoxState.Ring?
        var line: Task<Void, Never>?
        for await snapshot in state.changes().cancelOnGracefulShutdown() {
            guard snapshot.ring != shown else { continue }
            shown = snapshot.ring
            line?.cancel()
            await line?.value
            line = shown.map { ring in Task { await countDown(ring) } }
            if shown == nil { panel.show(nil) }
        }
        line?.cancel()
        await line?.value
        panel.show(nil)
    }

    private func countDown(_ ring: BoxState.Ring) async {
        while !Task.isCancelled {
            panel.show(ring.line(at: .monotonicNow))
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func readButtons() async {
        let buttons = Buttons(gestures, perform: perform, answer: answer)
        for await edge in panel.edges.cancelOnGracefulShutdown() { await buttons.handle(edge) }
        await buttons.stop()
        if let failure = panel.failure {
            logger.error("the buttons failed", metadata: ["reason": "\(failure)"])
            state.update { $0.panelFault = "the buttons failed: \(failure)" }
        }
    }
}

extension Indication {
    init(_ snapshot: BoxState.Snapshot) {
        var indications: [Indication] = []
        switch snapshot.connection {
        case .connecting where snapshot.isStarting: indications.append(.booting)
        case .subscribed: indications.append(.online)
        case .connecting, .disconnected, .stopped: indications.append(.offline)
        }
        if snapshot.isMuted || snapshot.volume.level == 0 { indications.append(.muted) }
        if snapshot.announcement != nil { indications.append(.announcing) }
        if !snapshot.faults.isEmpty || !snapshot.alarms.isEmpty { indications.append(.fault) }
        if snapshot.ring != nil { indications.append(.ringing) }
        if snapshot.isUpdating { indications.append(.updating) }
        self = indications.max() ?? .booting
    }
}

extension BoxState.Snapshot {
    /// The pattern of an indication: a kind of announcement may define its own.
    fileprivate func pattern(of indication: Indication) -> OutputPattern {
        indication == .announcing ? announcementPattern ?? indication.pattern : indication.pattern
    }
}

extension BoxState.Ring {
    /// The text for a panel with a screen.
    func line(at now: Duration) -> String {
        let what = text.isEmpty ? "" : " \(text.excerpt)"
        return "ring \(id.text.excerpt)\(what), \(secondsLeft(at: now)) s left"
    }
}

/// Runs ``Gestures`` with a clock.
private actor Buttons {
    private let clock = ContinuousClock()
    private let perform: @Sendable (Command) -> Void
    private let answer: @Sendable () -> Bool
    private var answering = AnsweringPresses()
    private var gestures: Gestures
    private var timer: Task<Void, Never>?
    /// The origin of the clock that stamps the edges, estimated from the last edge.
    private var origin: ContinuousClock.Instant?

    init(
        _ map: GestureMap, perform: @escaping @Sendable (Command) -> Void, answer: @escaping @Sendable () -> Bool
    ) {
        gestures = Gestures(map)
        self.perform = perform
        self.answer = answer
    }

    func handle(_ edge: ButtonEdge) {
        origin = clock.now - edge.time
        guard let edge = answering.filter(edge, answer: answer) else { return }
        act(on: gestures.handle(edge))
    }

    func stop() {
        timer?.cancel()
    }

    private func act(on actions: [Gestures.Action]) {
        for action in actions { perform(Command(action)) }
        timer?.cancel()
        guard let origin, let deadline = gestures.nextDeadline else { return }
        timer = Task {
            do { try await clock.sleep(until: origin + deadline) } catch { return }
            act(on: gestures.advance(to: clock.now - origin))
        }
    }
}

extension Command {
    init(_ action: Gestures.Action) {
        switch action {
        case .volumeUp: self = .volume(.up)
        case .volumeDown: self = .volume(.down)
        case .replay: self = .play(.last)
        case .replayPrevious: self = .play(.beforeLast)
        case .today: self = .play(.today)
        case .network: self = .play(.network)
        case .unprovisionWarning: self = .warnOfUnprovisioning
        case .unprovision: self = .unprovision
        }
    }
}

/// Removes the presses that answer a ring from the button edges, before ``Gestures`` sees them:
///
///     guard let edge = presses.filter(edge, answer: announcer.answer) else { return }
///     act(on: gestures.handle(edge))
///
/// During a ring, the replay button answers when it goes down, and neither that press nor its release has another
/// meaning. Somebody in a hurry presses twice: a press within ``hurry`` belongs to the same answer. It replays nothing,
/// and does not answer the next ring, which nobody has heard yet.
struct AnsweringPresses: Sendable {
    /// Counted from the press that answered.
    static let hurry = Duration.milliseconds(500)

    private var answeredAt: Duration?
    /// The button is down, and its release has no meaning.
    private var isHeld = false

    /// - Parameter answer: called at a press that may answer a ring; returns whether something rang.
    /// - Returns: `nil` for an edge without further meaning.
    mutating func filter(_ edge: ButtonEdge, answer: () -> Bool) -> ButtonEdge? {
        guard edge.button == .replay else { return edge }
        let wasHeld = isHeld
        isHeld = false
        guard edge.isPressed else { return wasHeld ? nil : edge }
        if let answeredAt, edge.time - answeredAt < Self.hurry {
            isHeld = true
            return nil
        }
        guard answer() else { return edge }
        answeredAt = edge.time
        isHeld = true
        return nil
    }
}

extension Panel {
    /// Shows a pattern until it no longer changes, or until the task is cancelled.
    /// - Throws: why the lights or the motor failed.
    package func play(_ pattern: OutputPattern) async throws(PanelError) {
        let clock = ContinuousClock()
        let start = clock.now
        while !Task.isCancelled {
            let moment = pattern.moment(at: clock.now - start)
            try set(moment.outputs)
            guard let remaining = moment.remaining else { return }
            try? await clock.sleep(for: remaining)
        }
    }
}
