import SoundboxCore

/// What a payment that has just come is, beside what is stored. Pure.
///
///     switch AcceptanceRules.decide(notice.money, known: known, elsewhere: elsewhere) {
///     case .store(let lastReceipt): insert(notice, lastReceipt)
///     case .answer(let acceptance): return acceptance
///     }
package enum AcceptanceRules {
    package enum Decision: Sendable, Equatable {
        /// It is new, or takes the place of ``known``. With the last receipt of the one that it takes the place of.
        case store(lastReceipt: ReceiptNumber?)
        case answer(Acceptance)
    }

    /// - Parameters:
    ///   - known: what the box has under this id.
    ///   - elsewhere: what the same hook has brought for another box under this id, and that box has not refused.
    package static func decide(
        _ money: Money, known: StoredPayment?, elsewhere: StoredPayment?
    ) -> Decision {
        if let known {
            let isSame = known.notice.money == money
            // The box has refused it: this is the correction. Or nobody had it in time.
            if known.state == .failed || known.state == .givenUp && isSame {
                return .store(lastReceipt: known.lastReceipt)
            }
            return .answer(isSame ? .known(known.state) : .differs(known.notice.money))
        }
        guard let elsewhere else { return .store(lastReceipt: nil) }
        return .answer(
            elsewhere.notice.money == money ? .knownElsewhere(elsewhere.box) : .differs(elsewhere.notice.money))
    }
}
