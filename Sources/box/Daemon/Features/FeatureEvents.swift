import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem

// What one feature tells another, where neither the state nor the announcer's requests carry it.

/// The features of a box that the intake reaches.
struct ArrivalEvents: IntakeDelegate {
    let box: BoxContext
    let announcer: AnnouncerService
    let session: SessionKeeper
    /// `nil` refuses remote settings.
    let settings: RemoteSettingsService?
    /// `nil` refuses certificates.
    let certificate: CertificateService?
    let commands: CommandHandler

    func expect(_ notice: PaymentNotice) { box.player.expect(Utterance(notice)) }

    func receiptsAreWaiting() { box.receiptsAreWaiting() }

    func hold(_ target: CancelTarget) -> Bool { announcer.hold(target) }

    func letGo(_ target: CancelTarget, isCancelled: Bool) { announcer.letGo(target, isCancelled: isCancelled) }

    func connectionChanged(to connection: FeedConnection) { box.connection?.changed(to: connection) }

    func sessionBegan(_ session: FeedSession) { self.session.began(session) }

    func reconciled(epoch: Int) -> String? { session.reconciled(epoch: epoch) }

    func apply(_ settings: RemoteSettings) -> String? {
        guard let service = self.settings else { return "settings: not taken by this box" }
        return service.apply(settings)
    }

    func apply(certificate: String) -> String? {
        guard let service = self.certificate else { return "certificate: not taken by this box" }
        return service.apply(certificate)
    }

    func perform(_ command: Command) { commands.perform(command) }
}

/// The features of a box that the announcer reaches.
struct AnnouncerEvents: AnnouncerDelegate {
    private let box: BoxContext
    private let unprovisioning: Unprovisioning
    private let networkPrompts: NetworkPrompts
    private let update: UpdateWatch

    init(box: BoxContext, _ unprovisioning: Unprovisioning, _ networkPrompts: NetworkPrompts) {
        (self.box, self.unprovisioning, self.networkPrompts) = (box, unprovisioning, networkPrompts)
        update = UpdateWatch(mark: InstalledFolders.updateMark, state: box.state)
        update.checkMark()
    }

    func receiptsAreWaiting() { box.receiptsAreWaiting() }

    func heard(_ prompt: Prompt) {
        unprovisioning.heard(prompt)
        box.connection?.heard(prompt)
        networkPrompts.heard(prompt)
    }

    func runPeriodicChecks() { update.checkMark() }
}
