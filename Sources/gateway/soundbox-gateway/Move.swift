import ArgumentParser
import Glibc
import SoundboxCore
import SoundboxGateway
import SoundboxSystem

struct MoveStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move everything from a gateway's file to the PostgreSQL that gateway.yaml names.",
        discussion: """
            Stop the gateway, name the PostgreSQL in gateway.yaml (database), and move; then start it. The PostgreSQL \
            must have no rows yet. Everything is copied in one transaction; the file then gets the ending .moved, so that \
            no gateway goes on with it. There is no way back. Run it as the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    @Argument(help: ArgumentHelp("The file that the gateway had.", valueName: "file"))
    var file: String

    @Flag(help: "Only say what would be moved.")
    var dryRun = false

    func run() throws {
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        guard case .server(let address) = configuration.database else {
            throw ValidationError(
                "database of \(self.configuration.config) names a file; name the PostgreSQL to which to move.")
        }
        guard SmallFile.exists(file) else { throw ValidationError("\(file) is not there.") }
        // A link would keep its file, under a name that a gateway may have.
        let file = SmallFile.followingLinks(file)
        for (what, count) in try StoreMove.counts(SQLitePaymentStore(path: file, role: .reader)) {
            print("\(what)\t\(count)")
        }
        guard !dryRun else { return }
        // As a gateway, so that none runs with it.
        let store = try SQLitePaymentStore(path: file)
        let server = try PostgreSQLPaymentStore(address, name: configuration.clientID)
        var next = Duration.monotonicNow + .seconds(1)
        try StoreMove.run(from: store, to: server) { table, count in
            guard .monotonicNow >= next else { return }
            next = .monotonicNow + .seconds(1)
            print("copied\t\(table)\t\(count)")
            fflush(nil)
        }
        try store.retire()
        print("moved; \(file) is now \(file).moved")
    }
}
