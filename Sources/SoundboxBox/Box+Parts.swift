import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxVoice

extension Box {
    /// What a box is made of: the real things in the program, fakes in a test.
    package struct Parts: Sendable {
        package var identity: StatusReporter.Identity
        package var policy: Policy
        package var state: BoxState
        package var feed: any PaymentFeed
        /// How long the feed's thread has been stuck in what it does.
        package var feedStillness: @Sendable () -> Duration = { .zero }
        package var inbox: any Inbox
        package var upkeep: any InboxUpkeep
        package var history: any PaymentHistory
        package var customMessages: any CustomMessageStore
        /// `nil` where text without recordings cannot be spoken.
        package var synthesizer: (any SpeechSynthesizer)?
        /// `nil` where clips are not allowed.
        package var clips: (any ClipSource)?
        /// What is wrong with a clip, as far as its address tells; `nil` when nothing is. Must not block.
        package var problemOfClip: @Sendable (ClipReference) -> String? = { _ in CustomMessageSpeech.clipsAreOff }
        /// How time is divided into business days, as it is now. May block on the disk.
        package var calendar: @Sendable () -> BusinessCalendar? = { BusinessCalendar() }
        /// The quiet hours that the shop has set itself, and who remembers them.
        package var quietHours = OwnQuietHours.none
        /// Remembers which day's takings were told by themselves.
        package var dayEnd = Remembered<CivilDate>.none
        package var session = Remembered<SessionRecord>.none
        /// Where settings from afar go.
        package var settings = SettingsStore.closed
        /// `nil` for a box that does not renew its certificate.
        package var certificate: CertificateStore?
        package var salvage: SalvageWatch
        package var clock: BoxClock
        package var output: SoundThread
        /// Told when the box is to stop, so that a device that holds a call is given up sooner. Must not block.
        package var outputWillStop: @Sendable () -> Void = {}
        package var voices: Voices
        /// Has the volume remembered across restarts. May block.
        package var keepVolume: @Sendable (Volume) throws -> Void
        package var panel: any Panel
        package var gestures = GestureMap.usual
        /// Takes the box out of service. May block.
        package var removeSetup: @Sendable () throws -> SetupRemoval
        /// A path that is there while new software is being installed.
        package var updateMark: String
        /// Lets others ask and command the box: what it answers, and its figures alone.
        package var control:
            @Sendable ([ControlRoute], _ metrics: @escaping @Sendable () async -> [MetricFamily]) -> [any Service] = {
                _, _ in []
            }
        /// How the shop's page is to be served.
        package var page = JSONValue.null
        package var systemd = Systemd()
        /// What the machine says of itself. May block.
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

    /// What is decided by configuration.
    package struct Policy: Sendable {
        package var reader: NoticeReader
        /// `nil` takes every message that the broker lets through.
        package var verifier: MessageVerifier?
        package var admission: NoticeAdmission
        package var freshness: FreshnessPolicy
        /// Whether the text of a notice, which a payer can write, is said.
        package var saysNoticeTexts = false
        /// What a command gave to say is not said later than this after it was sent.
        package var saysExpireAfter = Duration.seconds(300)
        /// Whether a ring that comes before another one has ended is refused; otherwise it waits.
        package var refusesSecondRing = false
        package var hurryAbove: Int?
        package var quietHours: QuietHours?
        package var timing = Timing()
        /// What the sound is made fit for.
        package var loudspeaker = Loudspeaker.full
        /// What is said of the network by itself; `nil` is nothing.
        package var networkPrompts: NetworkPromptPolicy?
        package var retention: Retention
        /// When the day's takings are told by themselves; `nil` never.
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
