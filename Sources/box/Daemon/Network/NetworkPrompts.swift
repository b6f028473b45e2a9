import ServiceLifecycle
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxYAML

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
    nonisolated func heard(_ prompt: Prompt) { Task { await promptEnded(prompt) } }

    private func promptEnded(_ prompt: Prompt) {
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

/// Which network prompts the box speaks by itself, and when: `announce.network_grace` and `announce.prompts`.
package struct NetworkPromptSettings: Sendable, Equatable {
    /// How long the network must be away before it counts as lost.
    package var grace = Duration.seconds(30)
    /// Whether the box says that the network was lost or found.
    package var saysNetwork = true
    /// Whether a box that has started says that it is ready.
    package var saysReady = true
}

extension NetworkPromptSettings {
    /// - Parameter announce: which the other settings of announcements share.
    init(reading announce: YAMLMapping) throws(YAMLError) {
        let prompts = try announce.section("prompts")
        grace = try announce.read("network_grace") { try $0.duration(in: .seconds(5) ... .hours(1)) } ?? grace
        saysNetwork = try prompts.read("network") { try $0.bool() } ?? saysNetwork
        saysReady = try prompts.read("ready") { try $0.bool() } ?? saysReady
        try prompts.refuseOtherKeys()
    }
}
