import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import Synchronization

/// The current state of the box. Services report to it; the panel, the status and others observe it:
///
///     state.update { $0.isMuted = true }
///     for await snapshot in state.changes() { show(snapshot.faults) }
///
/// Any thread; never blocks.
package final class BoxState: Sendable {
    package struct Snapshot: Sendable, Equatable {
        package var connection = FeedConnection.connecting
        /// The broker that the box was connected to last, in this run.
        package var broker: String?
        /// The session at that broker.
        package var session: SessionStatus?
        /// The result of the last remote settings.
        package var settings: SettingsStatus?
        /// That the mapping ignores everything, as it seems.
        package var mappingWarning: String?
        /// Why remote settings that were in force cannot be used.
        package var settingsWarning: String?
        /// Why the shop's own quiet hours are ignored, until it sets others.
        package var quietHoursWarning: String?
        /// Why the shop's page is not served, as its process reports.
        package var pageProblem: String?
        /// What may have been lost with an earlier session, until it is reconciled.
        package var sessionFault: String?
        /// Why the program has ended soon after it had begun to connect, where the box can do no more by itself.
        package var connectionFault: String?
        /// The same where it does something about it.
        package var connectionWarning: String?
        /// Whether the first connection is still being made.
        package var isStarting = true
        /// Whether new software is being installed.
        package var isUpdating = false
        /// The number of the announcement that is playing; `nil` between two.
        package var announcement: Int?
        /// The sequences of the notices that it announces for the first time.
        package var announcing: [Int64] = []
        /// The pattern of lights and motor for it, if its kind defines one.
        package var announcementPattern: OutputPattern?
        /// The current ring, heard or not.
        package var ring: Ring?
        /// Why there is no sound.
        package var audioFault: String?
        /// Why payments cannot be stored, until one can. Separate from ``recordingFault``: a full disk may have room
        /// for a small record and none for a payment, and the fault would end and begin again with each.
        package var storingFault: String?
        /// Why announcements cannot be read or recorded, until they can.
        package var recordingFault: String?
        /// Messages on topics that are not the box's.
        package var topicFault: TopicFault?
        /// Notices that were refused because of their content.
        package var refusals = RefusalRecord()
        /// Why payments may be lost although the box is connected at times.
        package var feedFaults: [FeedFault] = []
        /// Why buttons or lights do not work.
        package var panelFault: String?
        /// The certificate that the box renews; `nil` if it has none.
        package var certificate: CertificateStatus?
        /// Why the broker will soon refuse the box.
        package var certificateFault: String?
        /// Why the clock is wrong.
        package var clockFault: String?
        /// The clock fault that the last signed notice has shown.
        package var signedTimeFault: String?
        /// Whether live payments are late by a wrong clock.
        package var paidAtWatch = PaidAtWatch()
        /// The result of the salvage of a damaged payment database since the start.
        package var inboxDamage: String?
        /// Why stored payments do not survive a power cut.
        package var volatileStorage: String?
        package var volume: Volume
        package var isMuted = false
        /// The card that `audio.device: auto` has chosen; `nil` before that, and with any other device.
        package private(set) var chosenDevice: String?
        /// Which card is gone and which one plays in its place, until a restart.
        package private(set) var cardWarning: String?
        /// The parameters of the open sound card; `nil` while it is away.
        package var device: DeviceStatus?
        /// How often the sound card ran dry in the middle of an announcement since the start.
        package var xruns = 0
        /// How many recordings of the voice cannot be played; found at the start or when they were needed.
        package var unusableRecordings = 0
        /// Why recordings cannot be read at the moment.
        package var unavailableRecordings: String?
        /// Why nothing can be announced although the sound card is there: no recordings.
        package var speechFault: String?
        /// Why another voice speaks than the configured one.
        package var voiceWarnings: [String] = []
        /// Payments that wait in the inboxes of earlier merchants of this box.
        package var asideWarnings: [String] = []
        /// Why no totals of days are counted.
        package var timeZoneWarning: String?

        /// Why the inbox does not work. The two faults end separately.
        package var inboxFault: String? { storingFault ?? recordingFault }

        /// Problems that need attention although the box works, in words for people.
        package var warnings: [String] { alarms + asideWarnings + [refusals.notices?.warning].compactMap(\.self) }

        /// Notes the device that `audio.device: auto` stands for from now on.
        /// - Parameter gone: the device whose card is gone since.
        package mutating func choose(_ device: String, inPlaceOf gone: String?) {
            cardWarning = gone.map { "the sound card \($0) is gone: playing on \(device)" }
            chosenDevice = device
        }

        /// The warnings that the light shows too. The others are about the past, and would hide for a day that the box
        /// is offline.
        package var alarms: [String] {
            voiceWarnings + feedFaults.filter { !$0.stopsPayments }.map(\.description)
                + [
                    connectionWarning, mappingWarning, cardWarning, timeZoneWarning, settingsWarning, quietHoursWarning,
                    settings?.warning,
                    certificate?.problem,
                ]
                .compactMap(\.self)
                + [pageProblem.map { "the shop's page is not served: \($0)" }]
                .compactMap(\.self)
        }
    }

    private struct Content {
        var snapshot: Snapshot
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        /// Observers of the inbox as well.
        var inboxObservers: Set<Int> = []
        var nextObserver = 0
        /// Counts changes, also of the inbox. Starts at a random number, so that a client cannot confuse it with a
        /// version of an earlier process.
        var version = Int.random(in: 1...1 << 40)
    }

    private let content: Mutex<Content>

    package init(volume: Volume) {
        content = Mutex(Content(snapshot: Snapshot(volume: volume)))
    }

    package var snapshot: Snapshot { content.withLock { $0.snapshot } }

    /// Changes the state, and notifies the observers if it differs. Any thread; never blocks.
    package func update(_ change: (inout Snapshot) -> Void) {
        let observers: [AsyncStream<Void>.Continuation] = content.withLock { content in
            let before = content.snapshot
            change(&content.snapshot)
            guard content.snapshot != before else { return [] }
            content.version += 1
            return Array(content.observers.values)
        }
        // Not under the lock, to avoid a deadlock: a cancelled task holds its own lock, which `yield` needs, while it
        // ends its stream, which needs this lock.
        for observer in observers { observer.yield() }
    }

    /// Call when the number of waiting entries has changed. Any thread; never blocks.
    package func inboxChanged() {
        let observers = content.withLock { content in
            content.version += 1
            return content.inboxObservers.compactMap { content.observers[$0] }
        }
        for observer in observers { observer.yield() }
    }

    /// Counts the changes. Any thread.
    var version: Int { content.withLock { $0.version } }

    /// Returns ``version`` at once if it is not `known`, otherwise at the next change or after `limit`.
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

    /// Returns when there is no ring, or at shutdown.
    func waitWhileRinging() async {
        for await snapshot in changes().cancelOnGracefulShutdown() where snapshot.ring == nil { return }
    }

    /// The current state, then the state after every change. A slow observer gets only the latest.
    ///
    /// - Parameter includingInbox: also reports changes of the inbox that leave the state the same.
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

extension BoxState {
    /// The kinds of faults. The raw values are label values of the metrics.
    package enum FaultKind: String, Sendable, CaseIterable {
        case audio
        case speech
        case connection
        case broker
        case session
        case topic
        case inbox
        case inboxDamage = "inbox_damage"
        case volatileStorage = "volatile_storage"
        case panel
        case certificate
        case clock
        case signedTime = "signed_time"
        case paidAt = "paid_at"
        case unavailableRecordings = "unavailable_recordings"
        case unusableRecordings = "unusable_recordings"
    }
}

extension BoxState.Snapshot {
    /// All faults, in words for people.
    package var faults: [String] { BoxState.FaultKind.allCases.compactMap(fault) }

    /// The fault of a kind, in words for people; `nil` for none.
    package func fault(_ kind: BoxState.FaultKind) -> String? {
        switch kind {
        case .audio: audioFault
        case .speech: speechFault
        case .connection: connectionFault
        case .broker: feedFaults.first(where: \.stopsPayments)?.description
        case .session: sessionFault
        case .topic: topicFault?.reason
        case .inbox: inboxFault
        case .inboxDamage: inboxDamage
        case .volatileStorage: volatileStorage
        case .panel: panelFault
        case .certificate: certificateFault
        case .clock: clockFault
        case .signedTime: signedTimeFault
        case .paidAt: paidAtWatch.fault
        case .unavailableRecordings: unavailableRecordings
        case .unusableRecordings where unusableRecordings > 0:
            "\(unusableRecordings) recording\(unusableRecordings == 1 ? "" : "s") cannot be played; the log names each, "
                + "and soundbox doctor says what to do"
        case .unusableRecordings: nil
        }
    }
}

extension BoxState {
    /// A ring that can be answered.
    package struct Ring: Sendable, Equatable {
        package var id: CommandID
        /// Its words; empty for the tone alone.
        package var text: String
        /// The end of its time, on the monotonic clock.
        package var deadline: Duration

        package init(id: CommandID, text: String, deadline: Duration) {
            self.id = id
            self.text = text
            self.deadline = deadline
        }

        package init(of customMessage: CustomMessage, until deadline: Duration) {
            self.init(id: customMessage.id, text: customMessage.content.summary, deadline: deadline)
        }

        /// Seconds until ``deadline``, rounded up; never negative.
        package func secondsLeft(at now: Duration) -> Int {
            let left = max(.zero, deadline - now)
            return Int(left.components.seconds) + (left.components.attoseconds > 0 ? 1 : 0)
        }
    }
}

extension CustomMessage.Content {
    /// In words for people; empty for the tone alone.
    var summary: String {
        switch self {
        case .tone: ""
        case .text(let text): text
        case .segments(let phrases): phrases.joined(separator: " ")
        case .clip(_, let otherwise): otherwise ?? "a clip"
        case .kind(let kind, let number): number.map { "\(kind) \($0)" } ?? "\(kind)"
        }
    }
}

/// The fault that messages were refused because of their topic.
package struct TopicFault: Sendable, Equatable {
    /// How long the fault lasts after the last message. More messages extend it.
    package static let memory = Duration.seconds(3600)

    /// In words for people.
    package let reason: String
    /// When the last message arrived, on the monotonic clock.
    package let last: Duration

    /// - Parameter name: the topic, as the broker delivers it.
    package init(name: String, isDoubtful: Bool, at now: Duration) {
        let shown = String(name.unicodeScalars.prefix(200))
        reason =
            isDoubtful
            ? "the broker rewrites topics, and messages that may be for this box come as \"\(shown)\": they are refused; "
                + "leave . and * out of merchant_id and device_id, or sign messages"
            : "messages come on \"\(shown)\", which is none of this box's topics: they are refused; publish to the "
                + "topics of its configuration, and end the broker's old subscription"
        last = now
    }

    /// - Returns: itself, or `nil` after ``memory``.
    func stillTold(at now: Duration) -> TopicFault? { now - last < Self.memory ? self : nil }
}
