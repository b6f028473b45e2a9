import CPostgreSQL
import SoundboxCore
import SoundboxSystem

/// Where a PostgreSQL is, and who asks: `database` and `database_password_file` of gateway.yaml.
///
///     let address = try PostgreSQLAddress("postgresql://soundbox@db.example.com/soundbox?sslrootcert=/etc/ssl/db.pem")
///
/// Everything that libpq knows may stand in it ("Connection URIs" in its manual), apart from a password.
package struct PostgreSQLAddress: Sendable, Equatable {
    /// As it was written. It has no secret.
    package let url: String
    let options: [Option]
    private let passwordFile: String?

    struct Option: Sendable, Equatable {
        var name: String
        var value: String
    }

    /// Whether a database is named by an address, and not by a path.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// - Parameter passwordFile: read with each connection.
    package init(_ url: String, passwordFile: String? = nil) throws(PostgreSQLAddressError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            throw PostgreSQLAddressError(message.map { String(cString: $0).firstLine } ?? "cannot be read")
        }
        defer { PQconninfoFree(parsed) }
        var options: [Option] = []
        var option = parsed
        while let name = option.pointee.keyword {
            if let value = option.pointee.val {
                options.append(Option(name: String(cString: name), value: String(cString: value)))
            }
            option += 1
        }
        func has(_ name: String) -> Bool { options.contains { $0.name == name } }
        guard !has("password") else {
            throw PostgreSQLAddressError("has a password; it belongs in a file: database_password_file")
        }
        // Otherwise another user's, or none.
        guard has("dbname") else {
            throw PostgreSQLAddressError("names no database, as in postgresql://user@host/database")
        }
        let isRemote = options.contains { ["host", "hostaddr"].contains($0.name) && Self.isRemote($0.value) }
        for (name, value) in Self.defaults(isRemote: isRemote) where !has(name) {
            options.append(Option(name: name, value: value))
        }
        self.url = url
        self.options = options
        self.passwordFile = passwordFile
    }

    /// In place of libpq's own: a gateway notices within seconds that a server is gone, and asks one that writes. To
    /// another machine it goes encrypted, and only to the one that was meant.
    private static func defaults(isRemote: Bool) -> [(name: String, value: String)] {
        [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("target_session_attrs", "read-write"),
            ("fallback_application_name", "soundbox-gateway"),
        ] + (isRemote ? [("sslmode", "verify-full")] : [])
    }

    /// Whether a list of hosts has one that is not on this machine.
    private static func isRemote(_ hosts: String) -> Bool {
        hosts.split(separator: ",").contains { host in
            !(host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "127.0.0.1", "::1"].contains(host))
        }
    }

    /// What libpq gets. Reads the password's file; blocks on the disk.
    func parameters() throws(SecretFileError) -> [Option] {
        guard let passwordFile else { return options }
        return try options + [Option(name: "password", value: SecretFile(path: passwordFile).read())]
    }
}

/// Why an address cannot be used.
package struct PostgreSQLAddressError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension String {
    /// libpq's messages end with a line feed, and may go on with a hint.
    var firstLine: String { split(separator: "\n").first.map(String.init) ?? self }
}
