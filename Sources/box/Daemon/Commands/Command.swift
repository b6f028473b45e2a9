import SoundboxCore

/// A command of the commands topic, the control socket or the buttons.
public enum Command: Sendable, Equatable {
    case play(Announcer.Request)
    case volume(VolumeChange)
    /// A ring or words to say. The inbox stores it on arrival, because its receipt is due before its acknowledgement.
    case customMessage(CustomMessage)
    /// Cancels what waits or plays. The sound ends on arrival; the inbox then carries it out, for the same reason.
    case cancel(CancelTarget)
    /// The provider has published again what may have been lost with the earlier session.
    case reconciled(epoch: Int)
    /// Remote settings, by the keys and values of ``RemoteSettings``; their id and time are the command's.
    case settings(RemoteSettings)
    /// The certificate that the box has requested, in PEM. The sender does not matter: the issuer's signature proves
    /// it.
    case certificate(String)
    case warnOfUnprovisioning
    case unprovision
}

extension Command {
    /// Reads `type` and its members: every command that a program can send.
    /// - Parameter kinds: the kinds of notices beside payments and refunds.
    public init(decoding json: JSONValue, kinds: Set<KindName> = []) throws(CommandError) {
        switch json["type"]?.string {
        case "replay": self = .play(.last)
        case "volume": self = .volume(try VolumeChange(decoding: json["volume"]))
        case "totals": self = .play(.today)
        case "ring", "say":
            do { self = .customMessage(try CustomMessage(decoding: json)) } catch {
                throw CommandError(reason: error.description)
            }
        case "reconciled":
            guard let epoch = json["session_epoch"]?.integer, epoch > 0 else {
                throw CommandError(reason: "session_epoch: expected a whole number above 0, as the status has it")
            }
            self = .reconciled(epoch: epoch)
        case "cancel": self = .cancel(try CancelTarget(decoding: json, kinds: kinds))
        case "settings": self = .settings(try RemoteSettings(command: json))
        case "certificate":
            guard let text = json["certificate"]?.string, text.contains("-----BEGIN CERTIFICATE-----") else {
                throw CommandError(reason: "certificate: expected a certificate in PEM")
            }
            self = .certificate(text)
        case let type?:
            throw CommandError(
                reason:
                    "type: \(type.excerpt) is unknown; expected ring, say, cancel, replay, totals, volume, settings, certificate or reconciled",
                isUnknown: true)
        case nil: throw CommandError(reason: "type: expected a string such as \"replay\"")
        }
    }
}
