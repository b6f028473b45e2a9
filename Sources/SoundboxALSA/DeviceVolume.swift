import Glibc
import SoundboxCore
import SoundboxSystem

/// The box's volume on a card's mixer element.
///
/// What cannot be set is told and left to the caller, never an error of the sound: a card without its mixer still
/// speaks.
struct DeviceVolume {
    let element: MixerElement
    private let driver: any MixerDriver
    private let didFail: @Sendable (String) -> Void
    /// `nil` while it is not open.
    private var scale: MixerScale?
    private var lastFailure: String?

    init(_ element: MixerElement, driver: any MixerDriver, didFail: @escaping @Sendable (String) -> Void) {
        self.element = element
        self.driver = driver
        self.didFail = didFail
    }

    /// Tries to open the element; ``set(_:)`` tells whether that went well.
    mutating func open() {
        close()
        do throws(PCMError) {
            try driver.open(element)
            guard let scale = try driver.scale() else { throw PCMError(EINVAL, detail: "it has no volume") }
            self.scale = scale
        } catch {
            fail(error)
        }
    }

    mutating func close() {
        scale = nil
        driver.close()
    }

    /// - Parameter level: 1–100.
    /// - Returns: whether the card is as loud as that now.
    mutating func set(_ level: Int) -> Bool {
        guard let scale else { return false }
        do throws(PCMError) {
            // Found off, it would silence the box whatever the volume.
            try driver.setSwitch(isOn: true)
            try driver.setVolume(scale.value(at: level))
            lastFailure = nil
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func fail(_ error: PCMError) {
        close()
        let text = "\(element): \(error.reasonOfMixer)"
        // Once per fault, not once per announcement.
        if text != lastFailure { didFail(text) }
        lastFailure = text
    }
}

extension MixerScale {
    /// Where the element is to stand for a level of 1–100; 100 is as loud as it goes.
    ///
    /// With decibels the level counts as for samples, and the curve is fitted into an element of less than 40 dB. Steps
    /// are taken as they are: their makers mean them to be even to the ear.
    func value(at level: Int) -> Int {
        switch self {
        case .decibels(let range, let isSilentAtBottom):
            let (bottom, top) = (Double(range.lowerBound), Double(range.upperBound))
            let value = top + 2000 * log10(Double(Volume(level).gain)) * min(1, (top - bottom) / 4000)
            // Just above a bottom that is off, from where the card goes up to its softest step.
            return Int(max(isSilentAtBottom ? bottom + 1 : bottom, value).rounded())
        case .steps(let range):
            // Up, so that the softest level is not silence.
            return range.lowerBound + Int((Double(level) / 100 * Double(range.count - 1)).rounded(.up))
        }
    }
}

extension PCMError {
    fileprivate var reasonOfMixer: String {
        let text = SystemError(code: code).description
        return switch code {
        case ENOENT: detail ?? "there is no such card"
        case ENODEV, ENXIO: "the card is away"
        case EINVAL: detail ?? text
        default: detail.map { "\(text) (\($0))" } ?? text
        }
    }
}
