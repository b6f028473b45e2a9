/// The simple playback controls of one card's mixer, one method for each library call, so that a test can produce every
/// error.
///
/// A driver decides nothing, is not thread-safe and belongs to one thread. Its calls take as long as the card's driver
/// does.
package protocol MixerDriver: AnyObject {
    /// - Parameter card: the name of an ALSA control device, such as `hw:CARD=Device`.
    func open(_ card: String) throws(PCMError)
    /// Harmless when not open.
    func close()

    /// The open mixer's controls that have a switch or a volume.
    var controls: [MixerControl] { get }
    /// Sets every channel. `ENOENT` when the control is gone.
    func apply(_ change: MixerChange, to control: MixerControl) throws(PCMError)
}

package enum MixerChange: String, Sendable, CaseIterable {
    case switchOn = "switched on"
    /// Or the nearest value that the control has.
    case zeroDecibels = "set to 0 dB"
    case eightyPercent = "set to 80 %"
}
