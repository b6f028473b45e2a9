import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Answers the webhooks of the hooks that were read last. Any thread; storing waits for the store's.
final class WebhookHandler: Sendable {
    let reader: WebhookReader
    private let intake: PaymentIntake
    private let clock: GatewayClock
    private let metrics: GatewayMetrics
    private let logger: Logger
    /// Those that the hooks read, and those of every request.
    let headers: [String]
    private let rates: [String: RateLimit]
    private let absences: [String: AbsenceWatch]
    private let warnings: [String: RateLimit]
    /// Lines about what is refused, which anybody may send, about what is for no box, about what cannot be read, and
    /// about what cannot be stored.
    private let refusalLines = RateLimit()
    private let noBoxLines = RateLimit()
    private let unreadLines = RateLimit()
    private let deletionLines = RateLimit()
    private let storeLines = RateLimit()

    /// Warns of certificates that end.
    init(
        _ reader: WebhookReader, intake: PaymentIntake, clock: GatewayClock, metrics: GatewayMetrics, logger: Logger
    ) {
        self.reader = reader
        self.intake = intake
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
        headers = Array(Set(["authorization", "content-type"] + reader.hooks.values.flatMap(\.headers)))
        rates = reader.hooks.mapValues { _ in AccessTokens.rate() }
        absences = reader.hooks.mapValues { _ in AbsenceWatch() }
        warnings = reader.hooks.mapValues { _ in RateLimit(limit: 1, per: .seconds(86_400)) }
        for (name, hook) in reader.hooks { warn(of: hook, name) }
    }

    /// Once a day for each hook.
    private func warn(of hook: Hook, _ name: String) {
        let found = hook.scheme.warnings(at: clock.now.time.millisecondsSince1970 / 1000)
        guard !found.isEmpty, warnings[name]?.take() != nil else { return }
        for warning in found { logger.warning("\(warning)", metadata: ["hook": "\(name)"]) }
    }

    /// - Parameter name: the hook's.
    func answer(_ request: HTTPRequest, to name: String) async -> HTTPResponse {
        guard let hook = reader.hooks[name] else { return .error(404, "there is no hook of this name") }
        let now = clock.now.time
        let webhook: GenuineWebhook
        do throws(HookRefusal) {
            let document = try hook.scheme.open(request, at: now.millisecondsSince1970 / 1000)
            let form: GenuineWebhook.Form = document == request.body && request.isForm ? .form : .json
            webhook = GenuineWebhook(
                hook: name, path: request.path, form: form, signed: hook.scheme.signed, document: document)
        } catch {
            guard error.isGenuine else {
                metrics.count(.unauthorised)
                if refusalLines.take() != nil {
                    logger.notice("a webhook is refused", metadata: ["hook": "\(name)", "reason": "\(error.reason)"])
                }
                return .error(error.status, error.reason)
            }
            webhook = GenuineWebhook(
                hook: name, path: request.path, form: .sealed, signed: hook.scheme.signed, document: request.body)
        }
        warn(of: hook, name)
        // Only what is signed counts: a flood of forged requests must not hold up the provider's.
        guard rates[name]?.take() != nil else {
            metrics.count(.tooFast)
            return .tooFast(name)
        }
        return await store(webhook, from: hook)
    }

    /// Stores every payment of a webhook in one commit. Where one cannot be read, or is for no box, it costs no other one,
    /// and the webhook is stored too: the provider's repetition would mend nothing.
    private func store(_ webhook: GenuineWebhook, from hook: Hook) async -> HTTPResponse {
        let name = webhook.hook
        let parts = reader.parts(of: webhook)
        for part in parts {
            switch part {
            case .ignored(let reason, let isAbsence): ignore(name, reason, isAbsence: isAbsence)
            case .noBox(let id, let reason, let isAbsence):
                ignore(name, reason, isAbsence: isAbsence, as: .noBox)
                guard noBoxLines.take() != nil else { continue }
                logger.notice(
                    "a webhook's payment is for no box",
                    metadata: ["hook": "\(name)", "id": "\(id)", "reason": "\(reason)"])
            case .payment: _ = absences[name]?.read()
            case .problem: break
            }
        }
        let submission = Submission(parts.payments, webhook: webhook, problems: parts.problems)
        guard !submission.payments.isEmpty || !submission.problems.isEmpty else { return hook.scheme.accepted }
        do throws(StoreError) {
            let outcome = try await intake.accept(submission)
            for (acceptance, payment) in zip(outcome.acceptances, submission.payments) {
                switch acceptance {
                case .accepted: metrics.count(.accepted)
                case .known: metrics.count(.known)
                case .knownElsewhere(let box):
                    metrics.count(.known)
                    guard noBoxLines.take() != nil else { continue }
                    logger.notice(
                        "a webhook's payment is known at another box",
                        metadata: ["hook": "\(name)", "id": "\(payment.notice.id)", "box": "\(box)"])
                // Part of what is unread.
                case .differs: break
                }
            }
            if let unread = outcome.unread { report(unread, of: name) }
            return hook.scheme.accepted
        } catch {
            metrics.count(.failed)
            if storeLines.take() != nil {
                logger.error("a payment cannot be stored", metadata: ["hook": "\(name)", "reason": "\(error)"])
            }
            return hook.scheme.failed("the payment could not be stored; send it again")
        }
    }

    private func report(_ unread: SubmissionOutcome.Unread, of name: String) {
        metrics.count(.unread)
        if unread.deleted > 0, deletionLines.take() != nil {
            logger.error(
                "unread webhooks are too many: the oldest are deleted", metadata: ["deleted": "\(unread.deleted)"])
        }
        guard unreadLines.take() != nil else { return }
        logger.warning(
            "a webhook cannot be read: it is stored",
            metadata: [
                "hook": "\(name)", "number": "\(unread.number)", "count": "\(unread.count)",
                "reason": "\(unread.reason)",
            ])
    }

    private func ignore(
        _ name: String, _ reason: String, isAbsence: Bool, as answer: GatewayMetrics.Answer = .ignored
    ) {
        metrics.count(answer)
        if let warning = absences[name]?.ignored(reason, byAbsence: isAbsence) {
            logger.warning("\(warning)", metadata: ["hook": "\(name)"])
        }
    }
}
