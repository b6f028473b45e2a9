import SoundboxCore
import Synchronization
import TestSupport

@testable import SoundboxGateway

/// The stores that the contract is tested with.
enum TrialStore: CaseIterable {
    case sqlite, postgreSQL

    /// A schema of its own for each.
    private static let schemas = Atomic(0)

    func make(
        in folder: TemporaryFolder, limits: UnreadLimits = UnreadLimits(), receivers: [String: Set<PaymentState>] = [:]
    ) async throws -> any PaymentStore {
        switch self {
        case .sqlite:
            try SQLitePaymentStore(path: folder.file("gateway.sqlite"), unreadLimits: limits, receivers: receivers)
        case .postgreSQL:
            try PostgreSQLPaymentStore(
                try await Self.database().address, name: "gateway", unreadLimits: limits, receivers: receivers)
        }
    }

    /// Where no tables are yet.
    static func database() async throws -> (schema: String, address: PostgreSQLAddress) {
        let schema = "trial_\(schemas.add(1, ordering: .relaxed).newValue)"
        return (schema, try PostgreSQLAddress(await PostgreSQLServer.shared.value.url(schema: schema)))
    }
}

extension PaymentStore {
    /// Commits a turn of a connection that began at -50 s.
    func commit(
        boxes: [BoxID: KnownBox] = [:], _ change: (inout DeliveryTurn) throws -> Void
    ) throws -> DeliveryTurnOutcome {
        var turn = DeliveryTurn()
        try change(&turn)
        return try commit(turn, boxes: boxes, listeningSince: .seconds(-50), at: .start)
    }
}

func online(epoch: Int = 3) -> KnownBox {
    var box = KnownBox()
    box.onlineSince = .seconds(-100)
    box.sessionEpoch = epoch
    box.seen = .zero
    return box
}

func receipt(
    _ id: String, _ state: Receipt.State, how: String? = nil, reason: String? = nil, sequence: Int? = nil,
    first: (state: Receipt.State, amount: String)? = nil
) throws -> (box: BoxID, id: PaymentID, answer: DeliveryRules.Answer) {
    (
        trialBox, try PaymentID(id),
        .init(
            state: state, how: how, reason: reason, number: sequence.map { .init(epoch: "e", sequence: $0) },
            first: try first.map { .init($0.state, try Money($0.amount, .CNY)) })
    )
}
