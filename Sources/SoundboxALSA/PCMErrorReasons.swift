import Glibc
import SoundboxSystem

/// What the installer reads on the phone: what is wrong, and what to do about it.
extension PCMError {
    /// Why the device does not open.
    /// - Parameter cards: the cards of this machine, named when the device is none of them.
    func reasonWhileOpening(cards: [ALSACard]) -> String {
        switch code {
        case ENOENT, ENODEV, ENXIO:
            "there is no such device\(parenthesis); \(Self.listing(cards))"
        case EBUSY:
            "another program is using it; stop that program, or choose a device that shares the card, such as "
                + "\"default\""
        case EACCES, EPERM:
            "this user may not use it; add the user to the group \"audio\" and log in again"
        case ECONNREFUSED:
            "its sound server does not answer\(parenthesis); start the server, or choose a card"
        default:
            "\(text)\(parenthesis)"
        }
    }

    /// Why the device stopped playing.
    var reasonWhilePlaying: String {
        switch code {
        case ENODEV, ENXIO: "it was unplugged, or its driver is gone\(parenthesis)"
        case ETIMEDOUT, ESTRPIPE: detail ?? text
        default: "\(text)\(parenthesis)"
        }
    }

    private var text: String { SystemError(code: code).description }
    private var parenthesis: String { detail.map { " (\($0))" } ?? "" }

    private static func listing(_ cards: [ALSACard]) -> String {
        guard !cards.isEmpty else {
            return "this machine has no sound card: check the plug, and the overlay of an add-on board"
        }
        return "choose one of " + cards.map { "\"\($0.name)\" (\($0.description))" }.joined(separator: ", ")
    }
}
