import Glibc

/// A real PostgreSQL with a database of its own in a folder, on a socket there: no port, and nobody else's.
///
///     let server = try await PostgreSQLServer.shared.value
///     let url = server.url(schema: "test_1")
package final class PostgreSQLServer: Sendable {
    /// One for all tests of a program. It ends with that program.
    package static let shared = Task { try await PostgreSQLServer() }

    private let folder: String
    private let process: ChildProcess

    private init() async throws {
        let folder = "/tmp/soundbox-test-postgresql-\(getpid())"
        self.folder = folder
        // It refuses to run as root. What it has is thrown away, so nothing is synced. At the end of this program, however
        // that comes, it is ended.
        let script = """
            set -e
            programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
            run=; owner=$(id -u)
            if [ "$owner" = 0 ]; then run="setpriv --reuid=postgres --regid=postgres --clear-groups"; owner=postgres; fi
            install -d -m 700 -o "$owner" "$1"
            $run "$programs/initdb" --pgdata "$1/data" --username soundbox --auth trust --encoding UTF8 --locale C --no-sync
            # Everybody but one is let in without a password.
            sed -i '1i local all locked scram-sha-256' "$1/data/pg_hba.conf"
            $run "$programs/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c max_connections=400 >&2 &
            tail --pid="$PPID" -f /dev/null
            kill -QUIT $!
            rm -r "$1"
            """
        process = try ChildProcess(["sh", "-c", script, "sh", folder])
        do {
            _ = try await process.errors.next { $0.contains("ready to accept connections") ? $0 : nil }
        } catch let ended as JournalEnded { throw TestFailure("PostgreSQL does not start: \(ended)") }
    }

    /// An address whose tables are nobody else's.
    ///
    /// - Parameters:
    ///   - schema: small letters, digits and underscores. It is made where it is missing.
    ///   - user: who asks. Everybody is let in, but `locked` needs a password.
    package func url(schema: String, user: String = "soundbox") async throws -> String {
        try await run("CREATE SCHEMA IF NOT EXISTS \(schema)")
        return "postgresql:///postgres?host=\(folder)&user=\(user)&options=-csearch_path%3D\(schema)"
    }

    /// Runs statements with psql.
    ///
    /// - Returns: the rows.
    @discardableResult
    package func run(_ sql: String, schema: String = "public") async throws -> [String] {
        let psql = try ChildProcess([
            "psql", "--quiet", "--no-psqlrc", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1",
            "postgresql:///postgres?host=\(folder)&user=soundbox&options=-csearch_path%3D\(schema)", "--command", sql,
        ])
        guard try await psql.exitStatus() == 0 else { throw TestFailure("\(sql): \(try await psql.errors.all())") }
        return try await psql.output.all()
    }
}
