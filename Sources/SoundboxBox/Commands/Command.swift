import SoundboxCore

/// What the box can be told: by the commands topic, by the control socket, by its buttons.
public enum Command: Sendable, Equatable {
    case play(Announcer.Request)
    case volume(VolumeChange)
    /// Ring, or say something. The inbox keeps it as it arrives, since its receipt is due before its acknowledgement.
    case customMessage(CustomMessage)
    /// Take back what waits or sounds. Hushed as it arrives, and then carried out by the inbox, for the same reason.
    case cancel(CancelTarget)
    /// What may have been lost with the session before this one was published again.
    case reconciled(epoch: Int)
    /// Settings from afar, by the keys and values of ``RemoteSettings``; their id and time are the command's.
    case settings(RemoteSettings)
    /// The certificate that the box has asked for, in PEM. Who sent it does not matter: its issuer vouches for it.
    case certificate(String)
    case warnOfUnprovisioning
    case unprovision
}

extension Command {
    /// By `type` and the members that belong to it: every kind that a program can send.
    /// - Parameter kinds: that notices may be of, beside payments and refunds.
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
