import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Reads genuine webhooks with the hooks' mappings: as they come, and again as a mapping has been corrected.
///
///     let reader = WebhookReader(hooks: hooks, decoder: configuration.decoder)
///     let payments = reader.parts(of: webhook).payments
///     let reason = try reader.retry(7, in: store)
package struct WebhookReader: Sendable {
    package let hooks: [String: Hook]
    package let decoder: PaymentNoticeDecoder

    package init(hooks: [String: Hook], decoder: PaymentNoticeDecoder) {
        self.hooks = hooks
        self.decoder = decoder
    }

    /// What a webhook brings.
    package enum Part: Sendable {
        case payment(box: BoxID, notice: PaymentNotice)
        case ignored(reason: String, isAbsence: Bool)
        /// A payment that is for no box, as the hook's file says.
        case noBox(PaymentID, reason: String, isAbsence: Bool)
        /// A payment, or all of it, that cannot be read or placed.
        case problem(String)
    }

    package func parts(of webhook: GenuineWebhook) -> [Part] {
        guard let hook = hooks[webhook.hook] else { return [.problem("there is no hook of this name")] }
        // A field that nobody had signed is the stranger's, also where the file now says that it is signed.
        guard webhook.signed == nil || webhook.signed == hook.scheme.signed else {
            return [.problem("it was signed otherwise: \(webhook.signed ?? "")")]
        }
        do {
            let document = try self.document(of: webhook, hook)
            let notices = try MappedNoticeDecoder(
                mapping: hook.mapping, defaultCurrency: decoder.defaultCurrency, kinds: decoder.kinds
            ).decodeAll(document)
            let json = try JSONValue(parsing: document, toleratesBrokenText: true)
            return notices.enumerated().map { part($1, at: $0, of: json, hook) }
        } catch { return [.problem((error as? HookRefusal)?.reason ?? "\(error)")] }
    }

    private func document(of webhook: GenuineWebhook, _ hook: Hook) throws(HookRefusal) -> [UInt8] {
        switch webhook.form {
        case .json: webhook.document
        case .form: try FormBody(webhook.document).document
        case .sealed: try hook.scheme.document(inGenuine: webhook.document)
        }
    }

    private func part(_ read: DecodedNotice, at index: Int, of json: JSONValue, _ hook: Hook) -> Part {
        switch read {
        case .ignored(let reason): return .ignored(reason: reason, isAbsence: false)
        case .ignoredByAbsence(let reason): return .ignored(reason: reason, isAbsence: true)
        case .refused(let rejection): return .problem("\(rejection)")
        // A time that cannot be read is no reason to lose a payment: it counts as paid when it came.
        case .notice(let notice, _):
            do {
                switch try hook.box(in: json, at: index) {
                case .none(let reason, let isAbsence): return .noBox(notice.id, reason: reason, isAbsence: isAbsence)
                case .ids(let merchant, let device):
                    return .payment(box: try BoxID(merchant: merchant, device: device), notice: notice)
                }
            } catch { return .problem("\(error)") }
        }
    }

    // MARK: Again

    package enum Retry: Sendable, Equatable {
        case read(payments: Int)
        /// The hook's file now ignores all of it.
        case ignored(reason: String)
        case unread(reason: String)
        /// There is no unread webhook of this number.
        case unknown
    }

    /// Reads an unread webhook again. What can be read now is stored, and the webhook deleted if nothing is left of it.
    package func retry(_ number: Int64, in store: any PaymentStore) throws(StoreError) -> Retry {
        guard let unread = try store.unread(number) else { return .unknown }
        let parts = parts(of: unread.webhook)
        let payments = parts.payments.map { box, notice in
            var notice = notice
            notice.paidAt = notice.paidAt ?? unread.came
            return (box: box, notice: notice)
        }
        let reason = try store.accept(payments, problems: parts.problems, ofUnread: number, at: store.clock.now)
        if let reason { return .unread(reason: reason) }
        if payments.isEmpty, let reason = parts.reasonsToIgnore.first { return .ignored(reason: reason) }
        return .read(payments: payments.count)
    }
}

extension [WebhookReader.Part] {
    package var payments: [(box: BoxID, notice: PaymentNotice)] {
        compactMap { if case .payment(let box, let notice) = $0 { (box, notice) } else { nil } }
    }

    package var reasonsToIgnore: [String] {
        compactMap {
            switch $0 {
            case .ignored(let reason, _), .noBox(_, let reason, _): reason
            case .payment, .problem: nil
            }
        }
    }

    package var problems: [String] { compactMap { if case .problem(let problem) = $0 { problem } else { nil } } }
}
