import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

/// Runs ``NetworkWatch`` with a clock, and requests its prompts from the announcer.
actor NetworkPrompts: Service, Feature {
    private let state: BoxState
    private let quietTime: QuietTime
    private let requests: AnnouncerRequests
    private var watch: NetworkWatch
    private var timer: Task<Void, Never>?

    init(_ policy: NetworkPromptSettings, state: BoxState, quietTime: QuietTime, requests: AnnouncerRequests) {
        watch = NetworkWatch(policy, start: .monotonicNow)
        self.state = state
        self.quietTime = quietTime
        self.requests = requests
    }

    init(in box: BoxContext, _ quietTime: QuietTime) {
        self.init(
            box.settings.networkPrompts, state: box.state, quietTime: quietTime, requests: box.requests)
    }

    func run() async {
        for await snapshot in state.changes().cancelOnGracefulShutdown() {
            let isOnline = snapshot.connection == .subscribed
            act(on: watch.connectionChanged(isOnline: isOnline, at: .monotonicNow, isQuiet: isQuiet))
        }
        act(on: watch.stop())
    }

    /// Call when a prompt was played to its end. Any thread; never blocks.
    nonisolated func heard(_ prompt: Prompt) { Task { await note(prompt) } }

    private func note(_ prompt: Prompt) {
        act(on: watch.heard(prompt, at: .monotonicNow, isQuiet: isQuiet))
    }

    private var isQuiet: Bool { quietTime.volumeNow != nil }

    private func act(on actions: [NetworkWatch.Action]) {
        for action in actions {
            switch action {
            case .say(let prompt): requests.say(prompt)
            case .withdraw(let prompt): requests.withdraw(prompt)
            }
        }
        timer?.cancel()
        guard let due = watch.nextDue else { return }
        timer = Task {
            do { try await Task.sleep(for: due - .monotonicNow) } catch { return }
            act(on: watch.advance(to: .monotonicNow, isQuiet: isQuiet))
        }
    }
}
