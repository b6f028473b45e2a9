import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice

/// What the features of a box are made from: the settings, the adapters, and what all features share. Real ones in the
/// program, fakes in a test.
///
///     var box = BoxContext(identity: identity, settings: settings, notices: notices, …)
///     box.panel = panel
///     let ending = try await Box(box).run(endingOn: StopSignals())
package struct BoxContext: Sendable {
    package var identity: StatusReporter.Identity
    package var settings: BoxSettings
    package var notices: NoticeRules
    package var state: BoxState
    package var clock: BoxClock
    package var logger: Logger

    // MARK: Adapters

    package var feed: any PaymentFeed
    package var inbox: any BoxInbox
    package var player: Player
    package var voices: Voices
    package var panel: any Panel
    package var gestures = GestureMap.usual
    /// `nil` if text without recordings cannot be spoken.
    package var synthesizer: (any SpeechSynthesizer)?
    /// `nil` if clips are not allowed.
    package var clips: (any ClipSource)?
    /// `nil` refuses remote settings.
    package var remoteSettings: (any SettingsStore)?
    /// `nil` if the box does not renew its certificate.
    package var certificate: (any CertificateStore)?
    /// What is known of earlier connections that ended the program; `nil` keeps nothing.
    package var connection: ConnectionKeeper?
    package var salvage: SalvageWatch
    package var systemd = Systemd()
    /// The folder of ``StateFile``; `nil` keeps nothing.
    package var stateDirectory: String?
    package var configurationFile = ""
    /// Where Linux has the board's temperatures.
    package var thermalFolder = "/sys/class/thermal"
    /// Takes the box out of service. May block.
    package var removeSetup: @Sendable () throws -> SetupRemoval
    /// Makes the services that serve the routes and the metrics, such as the control socket.
    package var serve:
        @Sendable ([ControlRoute], _ metrics: @escaping @Sendable () async -> [MetricFamily]) -> [any Service] = {
            _, _ in []
        }

    // MARK: Shared

    let requests = AnnouncerRequests()
    let metrics = BoxMetrics()
    let ages = MessageAges()
    /// For rare work that may block on the disk.
    let files = ThreadExecutor(name: "files")
    /// Known when all of them are made.
    let features = FeatureList()

    package init(
        identity: StatusReporter.Identity, settings: BoxSettings, notices: NoticeRules, state: BoxState,
        clock: BoxClock, feed: any PaymentFeed, inbox: any BoxInbox, player: Player, voices: Voices, panel: any Panel,
        salvage: SalvageWatch, logger: Logger, removeSetup: @escaping @Sendable () throws -> SetupRemoval
    ) {
        self.identity = identity
        self.settings = settings
        self.notices = notices
        self.state = state
        self.clock = clock
        self.feed = feed
        self.inbox = inbox
        self.player = player
        self.voices = voices
        self.panel = panel
        self.salvage = salvage
        self.logger = logger
        self.removeSetup = removeSetup
    }

    /// A value that survives a restart.
    func remembered<Value>(_ file: (_ folder: String) -> StateFile<Value>) -> Remembered<Value> {
        stateDirectory.map { Remembered(file($0)) } ?? .none
    }

    /// Call after a commit that wrote receipts. Any thread; never blocks.
    func receiptsAreWaiting() {
        feed.receiptsAreWaiting()
        state.inboxChanged()
    }
}

/// Everything that the box keeps.
package typealias BoxInbox = Inbox & InboxUpkeep & PaymentHistory & CustomMessageStore

/// Which messages are accepted, and how they are read.
package struct NoticeRules: Sendable {
    package var reader: NoticeReader
    /// `nil` takes every message that the broker delivers.
    package var verifier: MessageVerifier?
    package var admission: NoticeAdmission
    /// Whether a notice's text, which a payer can write, is spoken.
    package var saysTexts = false

    package init(
        reader: NoticeReader, verifier: MessageVerifier? = nil, admission: NoticeAdmission, saysTexts: Bool = false
    ) {
        (self.reader, self.verifier, self.admission, self.saysTexts) = (reader, verifier, admission, saysTexts)
    }
}
