import SoundboxCore

/// Decides whether a command is carried out now. Pure:
///
///     let arrival = try CommandJudge.judge(message, .init(isSigned: true, clock: clock.reading))
///
/// A `cancel`, a `reconciled`, `settings` and a `certificate` may be old: they are sent to boxes that are away, and a
/// second one does no harm. Of settings the newest count. All other commands must be recent: a payment that is repeated
/// hours later would be taken for a new one, and a late ring or volume change would surprise the shop.
enum CommandJudge {
    /// How long an id is remembered after its command was sent. Much longer than ``CommandArrival/window``, so that no
    /// command can be replayed after a clock was set back.
    static let memory = Duration.seconds(24 * 3600)

    /// How a message arrived.
    struct Circumstances: Sendable, Equatable {
        /// Its signature is valid; `false` if the box takes unsigned messages and it has none.
        var isSigned = false
        var isRetained = false
        /// It may have waited at the broker while the box was away.
        var mayHaveWaited = false
        var clock: ClockReading
        /// A part of the cancel's target was heard.
        var hasBegun = false
        /// A ring is refused as busy while another one lasts.
        var allowsOneRing = false
    }

    /// - Throws: why it is not carried out.
    static func judge(
        _ message: CommandMessage, _ circumstances: Circumstances
    ) throws(CommandError) -> CommandArrival {
        if let reason = reasonToRefuse(message, circumstances) { throw CommandError(id: message.id, reason: reason) }
        let expiry = expiry(of: message, circumstances)
        switch message.command {
        case .cancel(let target):
            return .cancel(target, id: message.id, expiry: expiry, hasBegun: circumstances.hasBegun)
        case .customMessage(let customMessage):
            return .customMessage(customMessage, expiry: expiry, onlyWhenNoRing: circumstances.allowsOneRing)
        case .reconciled, .settings, .certificate: return .always(message.id)
        case .play, .volume, .warnOfUnprovisioning, .unprovision:
            // Without both, a repeated command cannot be recognised.
            guard let id = message.id, message.at != nil else { return .always(message.id) }
            return .once(id, expiry: expiry)
        }
    }

    private static func expiry(of message: CommandMessage, _ circumstances: Circumstances) -> Timestamp {
        let now = circumstances.clock.time
        return max(message.at ?? now, now) + memory
    }

    private static func reasonToRefuse(_ message: CommandMessage, _ circumstances: Circumstances) -> String? {
        if circumstances.isRetained {
            return "retain: the broker kept this message; a retained command is never carried out"
        }
        switch message.command {
        case .cancel, .reconciled, .certificate: return nil
        case .settings(let settings):
            // Settings with a date in the future would block all others until then.
            guard let now = circumstances.clock.confirmed, settings.at.duration(since: now) > CommandArrival.window
            else { return nil }
            return "at: \(settings.at) is in the future; the box's clock says \(now)"
        case .play, .volume, .customMessage, .warnOfUnprovisioning, .unprovision: break
        }
        if circumstances.isSigned {
            if message.id == nil { return "id: this field is missing, and a signed command needs it" }
            if message.at == nil { return "at: this field is missing, and a signed command needs it" }
        }
        guard let at = message.at else {
            guard case .play = message.command, circumstances.mayHaveWaited else { return nil }
            return "at: this field is missing, and without it nobody knows how long the message waited at the broker"
        }
        return reasonToRefuse(message.command, at: at, circumstances)
    }

    private static func reasonToRefuse(
        _ command: Command, at: Timestamp, _ circumstances: Circumstances
    ) -> String? {
        let clock = circumstances.clock
        // An unconfirmed clock does not make a live command stale, nor does what messages have taught: two that are an
        // hour ahead would refuse all others. The bound that a server has given still does; no younger id is forgotten.
        let judged = circumstances.mayHaveWaited ? clock.believed : clock.confirmed
        if let now = judged ?? clock.proven, now.duration(since: at) > CommandArrival.window {
            return "at: \(at) is more than a minute ago; the box's clock says \(now)"
        }
        if let now = clock.believed, at.duration(since: now) <= CommandArrival.window { return nil }
        if let now = clock.confirmed { return "at: \(at) is in the future; the box's clock says \(now)" }
        // The box's clock is behind or not set, so the command is newer than all known times. It is recent unless it
        // waited.
        guard circumstances.mayHaveWaited else { return nil }
        if !circumstances.isSigned, case .volume = command { return nil }
        return "at: cannot be judged, since the box's clock is not set and the message may have waited at the broker"
    }
}
