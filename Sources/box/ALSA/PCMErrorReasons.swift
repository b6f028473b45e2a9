import Glibc
import SoundboxSystem

/// The text that the installer reads on the phone: what is wrong, and what to do.
extension PCMError {
    /// Why the device does not open.
    /// - Parameters:
    ///   - cards: the cards that this user may open, named when the device is none of them.
    ///   - obstacle: why this user cannot open the others.
    package func reasonWhileOpening(cards: [ALSACard], _ obstacle: CardObstacle?) -> String {
        // alsa-lib reports no card when it may not open one.
        if cards.isEmpty, let obstacle, obstacle != .noCard, [ENOENT, ENODEV, ENXIO, EACCES, EPERM].contains(code) {
            return "\(obstacle)"
        }
        return switch code {
        case ENOENT, ENODEV, ENXIO:
            "there is no such device\(parenthesis); \(Self.listing(cards))"
        case EBUSY:
            "another program is using it; stop that program, or choose a device that shares the card, such as "
                + "\"default\""
        case EACCES: "\(CardObstacle.denied(device: nil))"
        case EPERM: "\(CardObstacle.fencedOff(device: nil))"
        case ECONNREFUSED:
            "its sound server does not answer\(parenthesis); start the server, or choose a card"
        default:
            "\(text)\(parenthesis)"
        }
    }

    /// Why the closed device will not open again.
    var reasonWhileClosed: String { "it was unplugged, or its driver is gone\(parenthesis)" }

    /// Why the device stopped playing.
    var reasonWhilePlaying: String {
        switch code {
        case ENODEV, ENXIO: reasonWhileClosed
        case ETIMEDOUT, ESTRPIPE: detail ?? text
        default: "\(text)\(parenthesis)"
        }
    }

    private var text: String { SystemError(code: code).description }
    private var parenthesis: String { detail.map { " (\($0))" } ?? "" }

    private static func listing(_ cards: [ALSACard]) -> String {
        guard !cards.isEmpty else { return "\(CardObstacle.noCard)" }
        return "choose one of " + cards.map { "\"\($0.name)\" (\($0.description))" }.joined(separator: ", ")
    }
}
