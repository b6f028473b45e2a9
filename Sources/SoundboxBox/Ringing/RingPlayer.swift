import SoundboxAudio
import SoundboxCore
import SoundboxSpeech

/// What the ringer needs of the player: the ring bus. Nothing of it blocks; any thread.
package protocol RingPlayer: Sendable {
    /// Sounds again and again until ``stopRing()``, in place of what rings.
    /// - Parameters:
    ///   - script: the words between two tones; the tone alone when it has none.
    ///   - loudness: the volume in force is held within it.
    ///   - failed: why it does not sound, or no longer. Any thread.
    ///   - began: told when a first part of it is on the card. Any thread.
    func startRing(
        _ script: AnnouncementScript, loudness: ClosedRange<Volume>, failed: @escaping @Sendable (PlayerError) -> Void,
        began: @escaping @Sendable () -> Void)

    /// Silence at once, whatever is queued. Harmless when nothing rings.
    func stopRing()

    /// Whether it rings, or is about to.
    var isRinging: Bool { get }
}

extension Player: RingPlayer {}
