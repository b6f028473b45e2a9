import SoundboxCore

/// Where the payments are: `database` of gateway.yaml.
package enum StoreLocation: Sendable, Equatable {
    /// SQLite's, of one gateway.
    case file(String)
    /// PostgreSQL, which several gateways share.
    case server(PostgreSQLAddress)

    /// Opens it; blocks.
    ///
    /// - Parameters:
    ///   - name: of this gateway, where several share a database.
    ///   - receivers: who gets a callback when a payment comes into one of these states.
    package func open(
        _ role: StoreRole, name: String, receivers: [String: Set<PaymentState>] = [:]
    ) throws(StoreError) -> any PaymentStore {
        switch self {
        case .file(let path): try SQLitePaymentStore(path: path, role: role, receivers: receivers)
        case .server(let address):
            try PostgreSQLPaymentStore(address, name: name, role: role, receivers: receivers)
        }
    }
}
