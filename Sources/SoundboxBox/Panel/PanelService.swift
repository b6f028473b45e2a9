import Logging
import ServiceLifecycle
import SoundboxCore

/// Joins the panel to the box: lights follow its state, buttons become commands.
///
/// A panel that fails costs lights and buttons, never a payment.
struct PanelService: Service {
    let panel: any Panel
    let gestures: GestureMap
    let state: BoxState
    let logger: Logger
    let perform: @Sendable (Command) -> Void

    func run() async {
        await withDiscardingTaskGroup { group in
            // Patterns that nobody sees would wake the processor ten times a second while the box speaks.
            if panel.hasOutputs { group.addTask { await showState() } }
            group.addTask { await readButtons() }
        }
        panel.close()
    }

    private func showState() async {
        var shown: (indication: Indication, announcement: Int?)?
        var lights: Task<Void, Never>?
        for await snapshot in state.changes().cancelOnGracefulShutdown() {
            let indication = Indication(snapshot)
            // Two announcements in a row look the same, and yet the second one vibrates as well.
            guard shown?.indication != indication || shown?.announcement != snapshot.announcement else { continue }
            shown = (indication, snapshot.announcement)
            lights?.cancel()
            await lights?.value
            lights = Task { await play(indication.pattern) }
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

    private func readButtons() async {
        let buttons = Buttons(gestures, perform: perform)
        for await edge in panel.edges.cancelOnGracefulShutdown() { await buttons.take(edge) }
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
        if !snapshot.faults.isEmpty || !snapshot.warnings.isEmpty { indications.append(.fault) }
        if snapshot.isUpdating { indications.append(.updating) }
        self = indications.max() ?? .booting
    }
}

/// Gives ``Gestures`` its clock.
private actor Buttons {
    private let clock = ContinuousClock()
    private let perform: @Sendable (Command) -> Void
    private var gestures: Gestures
    private var timer: Task<Void, Never>?
    /// Where the clock that stamps the edges has its origin, as far as the last edge tells.
    private var origin: ContinuousClock.Instant?

    init(_ map: GestureMap, perform: @escaping @Sendable (Command) -> Void) {
        gestures = Gestures(map)
        self.perform = perform
    }

    func take(_ edge: ButtonEdge) {
        origin = clock.now - edge.time
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
