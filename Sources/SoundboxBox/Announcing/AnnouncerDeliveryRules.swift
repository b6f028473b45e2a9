import SoundboxCore
import SoundboxSpeech

/// How each kind of announcement sounds, and what is said.
extension Announcer {
    /// Still heard as two announcements.
    static let hurriedGap = Duration.milliseconds(200)
    /// For whoever has just turned the volume down to nothing.
    static let leastForPrompts = Volume(30)

    /// - Parameter moment: `nil` where the hour makes no difference.
    func delivery(of job: Job, at moment: Moment?, isInAHurry: Bool = false) -> Delivery {
        var delivery = Delivery()
        switch job {
        case .prompt(let prompt):
            delivery.hasChime = false
            delivery.gap = Self.hurriedGap
            // What nobody has asked for is no louder than a payment.
            if ![.network, .refusal].contains(prompt.concern) {
                delivery.loudness = Self.leastForPrompts...Volume(100)
            }
        case .signInCode:
            delivery.hasChime = false
            delivery.loudness = Self.leastForPrompts...Volume(100)
        // The chime means that money came.
        case .replay, .say, .text: delivery.hasChime = false
        // Silence is all that a device holds when the repeat ends: a sound server does not give that back.
        case .ring:
            delivery.hasChime = false
            delivery.gap = Self.hurriedGap
        // A kind has a chime of its own, or none, among its words.
        case .notice(let entry) where entry.notice.kind.isOther:
            delivery.hasChime = false
            if isInAHurry { delivery.gap = Self.hurriedGap }
        case .notice where isInAHurry:
            delivery.hasChime = false
            // Alone it still says that something came.
            delivery.chimeReplacesWords = true
            delivery.gap = Self.hurriedGap
        case .notice, .summary, .today, .network: break
        }
        if let most = moment?.quietVolume { delivery.loudness = Volume(0)...most }
        return delivery
    }
}

extension Announcer {
    /// A notice's text is as loud as the notice.
    func delivery(of text: Job, as notice: Delivery) -> Delivery {
        var delivery = delivery(of: text, at: nil)
        delivery.loudness = notice.loudness
        return delivery
    }
}

extension Announcer.Job {
    /// What is said; `nil` where the script is there already.
    public var utterance: Utterance? {
        switch self {
        case .notice(let entry): Utterance(entry.notice)
        case .summary(let entries): .lateSummary(of: entries.map(\.notice.money))
        case .replay(let entry?): .replay(Utterance(entry.notice))
        case .replay(nil): .prompt(.noPaymentYet)
        case .prompt(let prompt): .prompt(prompt)
        case .today(.known(let takings)): .dayTakings(takings)
        // Nothing is guessed: whoever asked is told where to look.
        case .today(.unknown): .prompt(.message)
        case .network(let isOnline, let address): .network(isOnline: isOnline, address: address)
        case .signInCode(let code): .signInCode(code)
        case .say, .text, .ring: nil
        }
    }

    /// The notices that it tells of for the first time.
    public var entries: [InboxEntry] {
        switch self {
        case .notice(let entry): [entry]
        case .summary(let entries): entries
        case .text, .replay, .today, .prompt, .network, .signInCode, .say, .ring: []
        }
    }

    /// What a cancel may name of it.
    var cancelTargets: [CancelTarget] {
        switch self {
        case .notice, .summary: entries.map { .payment($0.notice.id) }
        case .say(let entry, _, _), .ring(let entry, _): [.customMessage(entry.customMessage.id)]
        case .text, .replay, .today, .prompt, .network, .signInCode: []
        }
    }

    var isPayment: Bool {
        switch self {
        case .notice(let entry): entry.notice.kind == .payment
        case .summary: true
        default: false
        }
    }
}
