import SoundboxCore
import SoundboxSpeech

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

extension CancelTarget {
    /// Reads `payment_id` or `command_id`: one of the two. With `payment_id`, `kind` may be the notice's kind.
    /// - Parameter kinds: the kinds of notices, besides payments and refunds.
    public init(decoding json: JSONValue, kinds: Set<KindName>) throws(CommandError) {
        let members = ["payment_id", "command_id"].filter { (json[$0] ?? .null) != .null }
        guard members.count == 1, let text = json[members[0]]?.string else {
            let field = members.first ?? "payment_id"
            let found = members.count > 1 ? "; found both" : ""
            throw CommandError(
                reason:
                    "\(field): expected either payment_id, the id of a payment, or command_id, that of a ring or say\(found)"
            )
        }
        do {
            self = members == ["payment_id"] ? .payment(try PaymentID(text)) : .customMessage(try CommandID(text))
        } catch { throw CommandError(reason: "\(members[0]): \(error)") }
        guard case .payment(let id) = self, let kind = json["kind"], kind != .null else { return }
        let checks = NoticeChecks(id: id, kinds: kinds)
        do { self = .payment(id.of(try checks.kind(kind.string ?? "", field: "kind"))) } catch {
            throw CommandError(reason: error.description)
        }
    }
}

/// Carries out commands of every source at once, on the caller's thread, so the order of each source is kept. Any
/// thread; never blocks, not even while the disk or the sound card hangs.
struct CommandHandler: Sendable {
    let volume: VolumeControl
    let unprovisioning: Unprovisioning
    let requests: AnnouncerRequests

    /// Any thread; never blocks.
    func perform(_ command: Command) {
        switch command {
        case .volume(let change): volume.apply(change)
        case .play(let request): requests.play(request)
        case .warnOfUnprovisioning:
            unprovisioning.warningIsDue()
            requests.say(.unprovisionWarning)
        case .unprovision: unprovisioning.perform()
        // Carried out by the intake on arrival.
        case .cancel, .customMessage, .reconciled, .settings, .certificate: break
        }
    }
}
