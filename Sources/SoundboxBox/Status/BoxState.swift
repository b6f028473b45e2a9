import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import Synchronization

/// What the box is doing right now, as its services report it; the panel, the status and the watchdog read it.
package final class BoxState: Sendable {
    package struct Snapshot: Sendable, Equatable {
        package var connection = FeedConnection.connecting
        /// The broker that the box was connected to last, in this run.
        package var broker: String?
        /// What that broker has kept.
        package var session: SessionStatus?
        /// What became of the settings that came last from afar.
        package var settings: SettingsStatus?
        /// Why settings from afar that were in force cannot be used.
        package var settingsWarning: String?
        /// Why the quiet hours that the shop has set do not count; until it sets others.
        package var quietHoursWarning: String?
        /// Why the shop's page is not served, as its process says.
        package var pageProblem: String?
        /// What may have been lost with an earlier session, until it is known to be made good.
        package var sessionFault: String?
        /// Whether the first connection is still being made.
        package var isStarting = true
        /// Whether new software is being installed.
        package var isUpdating = false
        /// Counts the announcements while one is playing; `nil` in between.
        package var announcement: Int?
        /// The numbers of the notices that it tells of for the first time.
        package var announcing: [Int64] = []
        /// How light and motor show that announcement, where its kind has a pattern of its own.
        package var announcementPattern: OutputPattern?
        /// The ring that sounds, or would if it could.
        package var ring: Ring?
        /// Why no sound comes out, when none does.
        package var audioFault: String?
        /// Why payments that arrive cannot be stored; until one can. Apart from ``recordingFault``: a full disk may
        /// take a note and no payment, and each note would end the fault that the next payment begins again.
        package var storingFault: String?
        /// Why it cannot be read or noted what is announced; until it can.
        package var recordingFault: String?
        /// What comes under topics that are not the box's.
        package var topicFault: TopicFault?
        /// Which notices were not announced because of what they say.
        package var refusals = RefusalRecord()
        /// Why payments may go astray though the box is connected now and then.
        package var feedFaults: [FeedFault] = []
        /// Why buttons or lights do not work, when they do not.
        package var panelFault: String?
        /// Of the certificate that the box renews by itself; `nil` where it has none.
        package var certificate: CertificateStatus?
        /// Why the box will soon be let in no more, when it will not.
        package var certificateFault: String?
        /// Why the clock cannot be right, when it cannot.
        package var clockFault: String?
        /// What the signed notice that came last has shown to be wrong with the clock.
        package var signedTimeFault: String?
        /// What became of a payment database that was found damaged since the start.
        package var inboxDamage: String?
        /// Why what is stored does not survive a power cut, when it does not.
        package var volatileStorage: String?
        package var volume: Volume
        package var isMuted = false
        /// What `audio.device: auto` stands for now; `nil` before a card was chosen, and with any other device.
        package var chosenDevice: String?
        /// What was agreed on with the sound card; `nil` while it is away.
        package var device: DeviceStatus?
        /// How often the sound card ran dry in the middle of an announcement since the start.
        package var xruns = 0
        /// Recordings that the voice should have and cannot play; found at start or when they were needed.
        package var unusableRecordings = 0
        /// Why recordings cannot be had for now, when some cannot.
        package var unavailableRecordings: String?
        /// Why announcements wait although the sound card is there: there is nothing to play them with.
        package var speechFault: String?
        /// Who speaks instead of whom, and why, where that is not as configured.
        package var voiceWarnings: [String] = []
        /// What waits in the inboxes of merchants whom the box belonged to before.
        package var asideWarnings: [String] = []
        /// Why nothing is counted by days, when nothing is.
        package var timeZoneWarning: String?

        /// Why the inbox does not do its work, when it does not. Faults that end apart: a full disk may have room for
        /// a note and none for a payment.
        package var inboxFault: String? { storingFault ?? recordingFault }

        /// What somebody should look at although the box does its work, in words for people; empty when nothing is.
        package var warnings: [String] { alarms + asideWarnings + [refusals.notices?.warning].compactMap(\.self) }

        /// The warnings that the light shows as well. The others are past, and would hide for a day that the box is
        /// offline.
        package var alarms: [String] {
            voiceWarnings + feedFaults.map(\.description)
                + [timeZoneWarning, settingsWarning, quietHoursWarning, settings?.warning, certificate?.problem]
                .compactMap(\.self)
                + [pageProblem.map { "the shop's page is not served: \($0)" }]
                .compactMap(\.self)
        }
    }

    private struct Content {
        var snapshot: Snapshot
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        /// Those that want to know of changes of the inbox as well.
        var inboxObservers: Set<Int> = []
        var nextObserver = 0
        /// Counts the changes, of the inbox as well. Whoever has seen a version of the process before must not take one of
        /// this process for it.
        var version = Int.random(in: 1...1 << 40)
    }

    private let content: Mutex<Content>

    package init(volume: Volume) {
        content = Mutex(Content(snapshot: Snapshot(volume: volume)))
    }

    package var snapshot: Snapshot { content.withLock { $0.snapshot } }

    /// Changes the state and tells the observers when that made a difference. Never blocks; any thread.
    package func update(_ change: (inout Snapshot) -> Void) {
        let observers: [AsyncStream<Void>.Continuation] = content.withLock { content in
            let before = content.snapshot
            change(&content.snapshot)
            guard content.snapshot != before else { return [] }
            content.version += 1
            return Array(content.observers.values)
        }
        // Not under the lock: a task that is cancelled holds a lock of its own, which `yield` needs, while it ends its
        // stream, which needs this one.
        for observer in observers { observer.yield() }
    }

    /// How much waits in the inbox has changed. Never blocks; any thread.
    package func inboxChanged() {
        let observers = content.withLock { content in
            content.version += 1
            return content.inboxObservers.compactMap { content.observers[$0] }
        }
        for observer in observers { observer.yield() }
    }

    /// Counts the changes. Any thread.
    var version: Int { content.withLock { $0.version } }

    /// Returns ``version`` at once where it is another one, and otherwise when something changes.
    /// - Parameters:
    ///   - known: the version that the caller has seen.
    ///   - limit: how long to wait.
    package func version(otherThan known: Int, within limit: Duration) async -> Int {
        if version != known { return version }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in self.changes(includingInbox: true) where self.version != known { return }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        return version
    }

    /// Returns when nothing rings, or at shutdown.
    func waitWhileRinging() async {
        for await snapshot in changes().cancelOnGracefulShutdown() where snapshot.ring == nil { return }
    }

    /// The state now and after every change; an observer that is slow sees the latest only.
    ///
    /// - Parameter includingInbox: also when the state is the same and the inbox is not.
    package func changes(includingInbox: Bool = false) -> some AsyncSequence<Snapshot, Never> & Sendable {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = content.withLock { content in
            content.nextObserver += 1
            content.observers[content.nextObserver] = continuation
            if includingInbox { content.inboxObservers.insert(content.nextObserver) }
            return content.nextObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.content.withLock { content in
                content.observers[number] = nil
                content.inboxObservers.remove(number)
            }
        }
        continuation.yield()
        return stream.map { self.snapshot }
    }
}
