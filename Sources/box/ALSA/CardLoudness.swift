import SoundboxCore
import SoundboxSystem

/// Makes a card audible whose controls are muted or turned down, as on many USB cards after they are plugged in.
///
/// A failure is reported as a line, never as an error of the sound.
struct CardLoudness {
    /// The controls between the box and a loudspeaker, on any card; other controls may feed inputs through.
    private static let names = ["Master", "PCM", "Speaker", "Headphone", "Line Out", "Digital"]
    /// −20 dB, in hundredths: below this the box is hardly heard in a shop.
    private static let softest = -2000
    /// For a control without a decibel scale: −20 dB, if the steps are even.
    private static let fewestPercent = 10

    let driver: any MixerDriver
    /// Called with a line about each change, and each failure.
    let didChange: @Sendable (String) -> Void

    /// - Parameter card: the name of an ALSA control device.
    func raise(_ card: String) {
        do throws(PCMError) { try driver.open(card) } catch {
            return didChange("the controls of \(card) cannot be read: \(error.reason)")
        }
        defer { driver.close() }
        for control in driver.controls where Self.names.contains(control.name) {
            for (state, change) in Self.changes(to: control) {
                let index = control.index == 0 ? "" : ",\(control.index)"
                let found = "\"\(control.name)\"\(index) of \(card) was \(state)"
                do throws(PCMError) {
                    try driver.apply(change, to: control)
                    didChange("\(found): \(change.rawValue)")
                } catch {
                    didChange("\(found), and cannot be \(change.rawValue): \(error.reason)")
                }
            }
        }
    }

    /// The changes that make it audible, each with what is wrong.
    private static func changes(to control: MixerControl) -> [(state: String, MixerChange)] {
        var changes: [(String, MixerChange)] = []
        if control.isOn == false { changes.append(("switched off", .switchOn)) }
        if let decibels = control.decibels {
            // Some USB cards are silent at the bottom, whatever their scale says.
            let isAtBottom = control.percent == 0 && decibels < 0
            let state = isAtBottom ? "turned down to the bottom" : "at \(decibels / 100) dB"
            if isAtBottom || decibels < softest { changes.append((state, .zeroDecibels)) }
        } else if let percent = control.percent, percent < fewestPercent {
            changes.append(("at \(percent) %", .eightyPercent))
        }
        return changes
    }
}

extension PCMError {
    fileprivate var reason: String {
        let text = SystemError(code: code).description
        return detail.map { "\(text) (\($0))" } ?? text
    }
}
