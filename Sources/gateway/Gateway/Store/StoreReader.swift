import SoundboxCore
import SoundboxSystem

/// Reads for lists and metrics on a thread and with a connection of their own, so that a long one holds up no payment.
package actor StoreReader {
    private let executor = ThreadExecutor(name: "store-reader")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let location: StoreLocation
    private var store: (any PaymentStore)?

    /// - Parameter location: of the database, which the gateway has open.
    package init(_ location: StoreLocation) { self.location = location }

    /// - Parameter now: by the gateway's clock.
    package func page(_ query: PaymentQuery, at now: Moment) throws(StoreError) -> PaymentPage {
        try opened().list(query, at: now)
    }

    /// What metrics show of the store.
    package struct Counts: Sendable {
        package var openSince: [Duration]
        package var unread: Int
        package var callbacks: [String: CallbackBacklog]
    }

    package func counts() throws(StoreError) -> Counts {
        let store = try opened()
        return Counts(
            openSince: try store.openSince(), unread: try store.unreadCount(), callbacks: try store.callbackBacklogs())
    }

    private func opened() throws(StoreError) -> any PaymentStore {
        if let store { return store }
        let store = try location.open(.reader, name: "reader")
        self.store = store
        return store
    }
}
