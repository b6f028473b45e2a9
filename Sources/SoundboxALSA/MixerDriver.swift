import SoundboxCore

/// One playback element of a card's mixer, call for call, so that every error of every call can be produced in a test.
///
/// A driver decides nothing, is not thread-safe and belongs to one thread. Its calls take as long as the card's driver
/// does, or a sound server behind it. Every method but ``open(_:)`` and ``close()`` needs an open element, and fails
/// with `ENODEV` or `ENOENT` when that has gone.
package protocol MixerDriver: AnyObject {
    /// Opens the card's mixer and finds the element in it: `ENOENT` when it has none of this name.
    func open(_ element: MixerElement) throws(PCMError)
    /// Harmless when not open.
    func close()

    /// How the element counts loudness; `nil` when it is a switch only.
    func scale() throws(PCMError) -> MixerScale?
    /// Sets every channel: to a value of the scale, or the next louder one that the element has.
    func setVolume(_ value: Int) throws(PCMError)
    /// Does nothing where the element has no switch.
    func setSwitch(isOn: Bool) throws(PCMError)
}

/// How a mixer element counts loudness.
package enum MixerScale: Sendable, Equatable {
    /// In hundredths of a decibel; `isSilentAtBottom` when the lowest value is off rather than soft.
    case decibels(ClosedRange<Int>, isSilentAtBottom: Bool)
    /// In steps that mean what the card's maker wanted them to.
    case steps(ClosedRange<Int>)
}
