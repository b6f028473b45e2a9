import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// What the intake tells the rest of the box. On the feed's thread; must not block, unless stated otherwise.
protocol IntakeDelegate: Sendable {
    /// Before the commit of this notice: the player may prepare, and must not play. The notice may be a duplicate.
    func expect(_ notice: PaymentNotice)
    /// After a commit that wrote receipts.
    func receiptsAreWaiting()
    /// Before a cancel is stored: its target must end, and must not begin. Returns whether a part was heard.
    func hold(_ target: CancelTarget) -> Bool
    /// After the attempt to store a cancel.
    func letGo(_ target: CancelTarget, isCancelled: Bool)
    /// At each change of the connection. Blocks on the disk at the first one and the last one.
    func connectionChanged(to connection: FeedConnection)
    /// At each connection. Blocks on the disk if the session is a new one.
    func sessionBegan(_ session: FeedSession)
    /// The provider has sent again what may have been lost with a session. Returns why it is refused. Blocks on the
    /// disk.
    func reconciled(epoch: Int) -> String?
    /// Returns why the settings are refused. Blocks on the disk.
    func apply(_ settings: RemoteSettings) -> String?
    /// A requested certificate. Returns why it is refused. Blocks on the disk.
    func apply(certificate: String) -> String?
    /// Carries out a command.
    func perform(_ command: Command)
}

extension Intake {
    init(in box: BoxContext, _ delegate: any IntakeDelegate) {
        self.init(
            reader: box.notices.reader.admitting(box.voices.noticeKinds), verifier: box.notices.verifier,
            admission: box.notices.admission,
            rules: CustomMessageSpeech(
                voices: box.voices, saysNoticeTexts: box.notices.saysTexts, clips: box.clips),
            ring: box.settings.ring, inbox: box.inbox, clock: box.clock, state: box.state,
            logger: box.logger, metrics: box.metrics, ages: box.ages, requests: box.requests, delegate: delegate)
    }
}
