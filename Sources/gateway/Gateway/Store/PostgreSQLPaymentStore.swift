import SoundboxCore
import SoundboxSystem
import Synchronization

/// A ``PaymentStore`` in PostgreSQL, which several gateways share.
///
///     let store = try PostgreSQLPaymentStore(address, name: "gateway-1")
///
/// A gateway holds a payment while it publishes it, and a callback while it sends it. It may hold as long as its row in
/// the table `gateway` is there: it renews that row's time, and another deletes it when the time is up. Every change of
/// what is held names the holder, so one that was away for too long changes nothing.
///
/// Statements are few and take many rows, as one JSON document: a server may be a millisecond away.
package final class PostgreSQLPaymentStore: PaymentStore {
    package let clock = GatewayClock(running: .zero)
    let unreadLimits: UnreadLimits
    /// Who is told of which states.
    let receivers: [String: Set<PaymentState>]
    private let address: PostgreSQLAddress
    private let name: String
    private let role: StoreRole
    private let session: Mutex<Session>

    private struct Session {
        var connection: PostgreSQLConnection?
        /// Why there is none, and until when no other attempt is made.
        var failure: (error: StoreError, until: Duration)?
        /// The number of this gateway's row; `nil` as long as nothing is held.
        var lease: Int64?
        var nextRenewal = Duration.zero
        /// The names of gateways whose time was up.
        var ended: [String] = []
    }

    /// How long a gateway may hold without a sign of life.
    package static let lease = Duration.seconds(30)
    private static let renewal = Duration.seconds(10)
    /// By how much the clock goes on at most with each renewal: somebody may set the server's.
    private static let longestStep = Duration.seconds(30)
    /// How long the server waits for the next statement of a transaction: less than others wait for what it has locked.
    private static let longestPause = Duration.seconds(5)
    /// After a failed attempt to connect.
    private static let pause = Duration.seconds(1)
    private static let mostAttempts = 10

    /// Connects, and makes the tables if there are none.
    ///
    /// - Parameters:
    ///   - name: of this gateway. Two must not have the same.
    ///   - receivers: who gets a callback when a payment comes into one of these states.
    package init(
        _ address: PostgreSQLAddress, name: String, role: StoreRole = .gateway,
        unreadLimits: UnreadLimits = UnreadLimits(), receivers: [String: Set<PaymentState>] = [:]
    ) throws(StoreError) {
        (self.address, self.name, self.role) = (address, name, role)
        (self.unreadLimits, self.receivers) = (unreadLimits, receivers)
        do {
            let connection = try Self.connect(address)
            if role == .gateway {
                try PostgreSQLSchema.prepare(connection)
            } else {
                try PostgreSQLSchema.check(connection)
                let running = try connection.query("SELECT running FROM clock").first?.integer("running")
                clock.set(running: .milliseconds(running ?? 0))
            }
            session = Mutex(Session(connection: connection))
        } catch { throw Self.error(address, error) }
        // Before anybody asks for the clock.
        if role == .gateway { try saveTime() }
    }

    private static func connect(_ address: PostgreSQLAddress) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address)
        guard connection.parameter("server_encoding") == "UTF8" else {
            throw PostgreSQLError.unusable("is not of the encoding UTF8")
        }
        // Whatever the server has set for others. A gateway that stands still inside of a transaction, or is cut off
        // there, has the rows that others wait for.
        try connection.execute(
            """
            SET client_encoding = 'UTF8';
            SET bytea_output = 'hex';
            SET default_transaction_isolation = 'read committed';
            SET idle_in_transaction_session_timeout = \(longestPause.inMilliseconds);
            """)
        // What was answered must not be lost with the server's power.
        try connection.execute(
            """
            SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
            """)
        return connection
    }

    private static func error(_ address: PostgreSQLAddress, _ error: any Error) -> StoreError {
        let failure = error as? PostgreSQLError
        return StoreError(
            "\(address.url): \(failure?.message ?? "\(error)")", isTemporary: failure?.isTemporary ?? false)
    }

    // MARK: Using the connection

    /// Runs `body`, each statement of which is a transaction of its own.
    ///
    /// - Parameter body: gets the connection, and this gateway's lease.
    func withConnection<Value: Sendable>(
        _ body: (PostgreSQLConnection, _ lease: Int64?) throws -> Value
    ) throws(StoreError) -> Value {
        try use { session, connection in try body(connection, session.lease) }
    }

    /// Runs `body` in a transaction.
    func inTransaction<Value: Sendable>(
        _ body: (PostgreSQLConnection, _ lease: Int64?) throws -> Value
    ) throws(StoreError) -> Value {
        try use { session, connection in
            try connection.execute("BEGIN")
            let value = try body(connection, session.lease)
            try connection.execute("COMMIT")
            return value
        }
    }

    /// As ``withConnection(_:)``, with a lease.
    func withLease<Value: Sendable>(
        _ body: (PostgreSQLConnection, _ lease: Int64) throws -> Value
    ) throws(StoreError) -> Value {
        try use { session, connection in
            let lease = try session.lease ?? begin(&session, connection)
            return try body(connection, lease)
        }
    }

    /// Runs `body`; again, if another gateway was in its way.
    private func use<Value: Sendable>(
        _ body: (inout Session, PostgreSQLConnection) throws -> Value
    ) throws(StoreError) -> Value {
        try session.withLock { session throws(StoreError) in
            // A program that only reads asks too seldom to notice before that the server was started again.
            var mayHaveEnded = role == .reader && session.connection != nil
            var attempts = 1
            while true {
                do {
                    let connection = try open(&session)
                    if role == .gateway, .monotonicNow >= session.nextRenewal { try renew(&session, connection) }
                    return try body(&session, connection)
                } catch let error as StoreError {
                    throw error
                } catch {
                    // Whatever it was, the next one begins anew: it must not become part of an open transaction.
                    session.connection = nil
                    let failure = Self.error(address, error)
                    switch error as? PostgreSQLError {
                    case .lost where mayHaveEnded: mayHaveEnded = false
                    case .lost:
                        session.failure = (failure, .monotonicNow + Self.pause)
                        throw failure
                    case let conflict? where conflict.isConflict && attempts < Self.mostAttempts: attempts += 1
                    default: throw failure
                    }
                }
            }
        }
    }

    private func open(_ session: inout Session) throws -> PostgreSQLConnection {
        if let connection = session.connection { return connection }
        // Many wait for the answer, and each would wait for the server again.
        if let (error, until) = session.failure, .monotonicNow < until { throw error }
        let connection = try Self.connect(address)
        try PostgreSQLSchema.check(connection)
        session.connection = connection
        session.failure = nil
        // Another may have taken over meanwhile.
        session.nextRenewal = .zero
        return connection
    }

    // MARK: Clock and lease

    package func saveTime() throws(StoreError) {
        try use { session, connection in
            if role == .gateway { try renew(&session, connection) }
        }
    }

    package func release() {
        _ = try? use { session, connection in
            guard let lease = session.lease else { return }
            try connection.query("DELETE FROM gateway WHERE number = $1", [.integer(lease)])
        }
        // If that has failed, its time is up soon.
        session.withLock { $0.lease = nil }
    }

    /// The names of gateways whose time was up, each once.
    func endedGateways() -> [String] {
        session.withLock { session in
            defer { session.ended = [] }
            return session.ended
        }
    }

    /// Moves the clock on, shows that this gateway lives, and ends those that do not.
    private func renew(_ session: inout Session, _ connection: PostgreSQLConnection) throws {
        let row = try connection.query(
            """
            WITH time AS (
                UPDATE clock SET read_at = clock_timestamp(), running = running
                    + least(greatest(extract(epoch FROM clock_timestamp() - read_at) * 1000, 0), $2::bigint)::bigint
                RETURNING running
            ), mine AS (
                UPDATE gateway SET held_until = running + $3::bigint FROM time WHERE number = $1::bigint
                RETURNING number
            )
            SELECT running, (SELECT number FROM mine) AS lease FROM time
            """, [.integer(session.lease), .span(Self.longestStep), .span(Self.lease)]
        ).first
        guard let row, let running = row.integer("running") else {
            throw PostgreSQLError.unusable("has an empty table clock")
        }
        clock.set(running: .milliseconds(running))
        session.lease = row.integer("lease")
        session.nextRenewal = .monotonicNow + Self.renewal
        let ended = try connection.query(
            "DELETE FROM gateway WHERE held_until < $1 RETURNING name", [.integer(running)])
        guard ended.count > 0 else { return }
        session.ended += ended.compactMap { $0.text("name") }
        // What it has put off, perhaps because it knew less of a box, is looked at by another.
        try awaken(connection)
    }

    /// A row of its own. One of the same name was this gateway before it was started again: what that held is free.
    private func begin(_ session: inout Session, _ connection: PostgreSQLConnection) throws -> Int64 {
        let row = try connection.query(
            """
            WITH before AS (DELETE FROM gateway WHERE name = $1)
            INSERT INTO gateway (name, held_until) SELECT $1, running + $2::bigint FROM clock RETURNING number
            """, [.text(name), .span(Self.lease)]
        ).first
        guard let lease = row?.integer("number") else { throw PostgreSQLError.unusable("has an empty table clock") }
        session.lease = lease
        return lease
    }
}
