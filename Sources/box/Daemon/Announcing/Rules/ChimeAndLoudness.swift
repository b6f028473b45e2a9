import SoundboxCore
import SoundboxSpeech

/// Loudness, chime, gap and words of each kind of announcement.
extension Announcer {
    /// Short, but the ear still hears two announcements.
    static let hurriedGap = Duration.milliseconds(200)
    /// A prompt must be audible after the volume was turned down to 0.
    static let leastForPrompts = Volume(30)

    /// - Parameter moment: `nil` if quiet hours make no difference.
    func delivery(of job: Job, at moment: Moment?, isInAHurry: Bool = false) -> Delivery {
        var delivery = Delivery()
        switch job {
        case .prompt(let prompt):
            delivery.hasChime = false
            delivery.gap = Self.hurriedGap
            // A prompt that nobody asked for is not louder than a payment.
            if ![.network, .refusal].contains(prompt.concern) {
                delivery.loudness = Self.leastForPrompts...Volume(100)
            }
        case .signInCode:
            delivery.hasChime = false
            delivery.loudness = Self.leastForPrompts...Volume(100)
        // The chime means that money has arrived.
        case .replay, .say, .text: delivery.hasChime = false
        // At the end of a repeat the device holds only silence. A sound server does not return it.
        case .ring:
            delivery.hasChime = false
            delivery.gap = Self.hurriedGap
        // The words of a kind include its own chime, if it has one.
        case .notice(let entry) where entry.notice.kind.isOther:
            delivery.hasChime = false
            if isInAHurry { delivery.gap = Self.hurriedGap }
        case .notice where isInAHurry:
            delivery.hasChime = false
            // Without words, the chime still says that something has arrived.
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
    /// The words; `nil` if the job has a script already.
    public var utterance: Utterance? {
        switch self {
        case .notice(let entry): Utterance(entry.notice)
        case .summary(let entries): .lateSummary(of: entries.map(\.notice.money))
        case .replay(let entry?): .replay(Utterance(entry.notice))
        case .replay(nil): .prompt(.noPaymentYet)
        case .prompt(let prompt): .prompt(prompt)
        case .today(.known(let takings)): .dayTakings(takings)
        // Never guess a total: say that there is a message.
        case .today(.unknown): .prompt(.message)
        case .network(let isOnline, let address): .network(isOnline: isOnline, address: address)
        case .signInCode(let code): .signInCode(code)
        case .say, .text, .ring: nil
        }
    }

    /// The notices that this job announces for the first time.
    public var entries: [InboxEntry] {
        switch self {
        case .notice(let entry): [entry]
        case .summary(let entries): entries
        case .text, .replay, .today, .prompt, .network, .signInCode, .say, .ring: []
        }
    }

    /// What a `cancel` command can name to end this job.
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
