import SoundboxCore
import SoundboxSpeech

/// Carries out commands from every source: at once, on the caller's thread, and so in the order in which each source
/// sends them. Nothing here blocks, also while the disk or the sound card hangs.
struct CommandHandler: Sendable {
    let volume: VolumeControl
    let unprovisioning: Unprovisioning
    let requests: AnnouncerRequests

    /// Never blocks; any thread.
    func perform(_ command: Command) {
        switch command {
        case .volume(let change): volume.apply(change)
        case .play(let request): requests.play(request)
        case .warnOfUnprovisioning:
            unprovisioning.warningIsDue()
            requests.say(.unprovisionWarning)
        case .unprovision: unprovisioning.perform()
        // Carried out when they arrived.
        case .cancel, .customMessage, .reconciled, .settings, .certificate: break
        }
    }
}
