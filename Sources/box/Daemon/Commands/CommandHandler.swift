import SoundboxCore
import SoundboxSpeech

/// Carries out commands of every source at once, on the caller's thread, so the order of each source is kept. Any
/// thread; never blocks, not even while the disk or the sound card hangs.
struct CommandHandler: Sendable {
    let volume: VolumeControl
    let unprovisioning: Unprovisioning
    let requests: AnnouncerRequests

    /// Any thread; never blocks.
    func perform(_ command: Command) {
        switch command {
        case .volume(let change): volume.apply(change)
        case .play(let request): requests.play(request)
        case .warnOfUnprovisioning:
            unprovisioning.warningIsDue()
            requests.say(.unprovisionWarning)
        case .unprovision: unprovisioning.perform()
        // Carried out by the intake on arrival.
        case .cancel, .customMessage, .reconciled, .settings, .certificate: break
        }
    }
}
