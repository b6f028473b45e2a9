import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxVoice

extension Box {
    /// The parts of a box: real ones in the program, fakes in a test.
    package struct Parts: Sendable {
        package var identity: StatusReporter.Identity
        package var policy: Policy
        package var state: BoxState
        package var feed: any PaymentFeed
        /// How long the feed's thread has been busy with its current call.
        package var feedStillness: @Sendable () -> Duration = { .zero }
        package var inbox: any Inbox
        package var upkeep: any InboxUpkeep
        package var history: any PaymentHistory
        package var customMessages: any CustomMessageStore
        /// `nil` if text without recordings cannot be spoken.
        package var synthesizer: (any SpeechSynthesizer)?
        /// `nil` if clips are not allowed.
        package var clips: (any ClipSource)?
        /// The problem with a clip's address; `nil` for none. Must not block.
        package var problemOfClip: @Sendable (ClipReference) -> String? = { _ in CustomMessageSpeech.clipsAreOff }
        /// The current division of time into business days; `nil` if its time zone cannot be used. May block on the
        /// disk.
        package var calendar: @Sendable () -> BusinessCalendar? = { BusinessCalendar() }
        /// The quiet hours that the shop has set, and where they are stored.
        package var quietHours = OwnQuietHours.none
        /// Stores the last day whose takings were announced automatically.
        package var dayEnd = Remembered<CivilDate>.none
        package var session = Remembered<SessionRecord>.none
        /// What is known of earlier connections that ended the program; `nil` keeps nothing.
        package var connection: ConnectionKeeper?
        /// Stores remote settings.
        package var settings = SettingsStore.closed
        /// `nil` if the box does not renew its certificate.
        package var certificate: CertificateStore?
        package var salvage: SalvageWatch
        package var clock: BoxClock
        package var output: SoundThread
        /// Called when the box must stop, so that a blocked device is given up sooner. Must not block.
        package var outputWillStop: @Sendable () -> Void = {}
        package var voices: Voices
        /// Stores the volume across restarts. May block.
        package var keepVolume: @Sendable (Volume) throws -> Void
        package var panel: any Panel
        package var gestures = GestureMap.usual
        /// Takes the box out of service. May block.
        package var removeSetup: @Sendable () throws -> SetupRemoval
        /// A path that exists while new software is being installed.
        package var updateMark: String
        /// Makes the services that serve the routes and the metrics, such as the control socket.
        package var control:
            @Sendable ([ControlRoute], _ metrics: @escaping @Sendable () async -> [MetricFamily]) -> [any Service] = {
                _, _ in []
            }
        /// The settings of the shop's page, for its process.
        package var page = JSONValue.null
        package var systemd = Systemd()
        /// Reads the machine's sensors and disk space. May block.
        package var machine: @Sendable () -> MachineReading = { MachineReading() }
        package var logger: Logger

        package init(
            identity: StatusReporter.Identity, policy: Policy, state: BoxState, feed: any PaymentFeed,
            inbox: any Inbox & InboxUpkeep & PaymentHistory & CustomMessageStore, salvage: SalvageWatch,
            clock: BoxClock,
            output: SoundThread,
            voices: Voices, panel: any Panel, keepVolume: @escaping @Sendable (Volume) throws -> Void,
            removeSetup: @escaping @Sendable () throws -> SetupRemoval, updateMark: String, logger: Logger
        ) {
            self.identity = identity
            self.policy = policy
            self.state = state
            self.feed = feed
            self.inbox = inbox
            self.upkeep = inbox
            self.history = inbox
            self.customMessages = inbox
            self.salvage = salvage
            self.clock = clock
            self.output = output
            self.voices = voices
            self.keepVolume = keepVolume
            self.panel = panel
            self.removeSetup = removeSetup
            self.updateMark = updateMark
            self.logger = logger
        }
    }

    /// The decisions of the configuration.
    package struct Policy: Sendable {
        package var reader: NoticeReader
        /// `nil` takes every message that the broker delivers.
        package var verifier: MessageVerifier?
        package var admission: NoticeAdmission
        package var freshness: FreshnessPolicy
        /// Whether a notice's text, which a payer can write, is spoken.
        package var saysNoticeTexts = false
        /// A `say` command is dropped this long after it was sent.
        package var saysExpireAfter = Duration.seconds(300)
        /// Whether a ring is refused while another one lasts; otherwise it waits.
        package var refusesSecondRing = false
        package var hurryAbove: Int?
        package var quietHours: QuietHours?
        package var timing = Timing()
        /// Where keys, and commands that name no volume, stop making it softer.
        package var leastVolume = Volume(0)
        /// How often the status is sent without a change.
        package var statusInterval = StatusReporter.usualInterval
        /// The loudspeaker that the sound is adapted to.
        package var loudspeaker = Loudspeaker.full
        /// Which network prompts are spoken; `nil` for none.
        package var networkPrompts: NetworkPromptPolicy?
        package var retention: Retention
        /// When the day's takings are announced automatically; `nil` never.
        package var dayEnd: DayEnd?

        package init(
            reader: NoticeReader, admission: NoticeAdmission, freshness: FreshnessPolicy, retention: Retention
        ) {
            self.reader = reader
            self.admission = admission
            self.freshness = freshness
            self.retention = retention
        }
    }
}
