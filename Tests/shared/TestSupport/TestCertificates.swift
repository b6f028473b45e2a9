/// Two authorities and what they have signed, made afresh by the `openssl` command.
package struct TestCertificates: Sendable {
    package struct Pair: Sendable {
        package var certificate: String
        package var key: String
    }

    /// The authority that signed everything below.
    package let authority: Pair
    /// An authority that has nothing to do with it.
    package let stranger: Pair
    /// For the host name `localhost` and the address 127.0.0.1.
    package let server: Pair
    /// For another host name.
    package let elsewhere: Pair
    /// A client's.
    package let client: Pair

    package init(in folder: TemporaryFolder) async throws {
        let authority = try await Self.makeAuthority("authority", in: folder)
        self.authority = authority
        stranger = try await Self.makeAuthority("stranger", in: folder)
        func signed(_ name: String, _ alternativeName: String) async throws -> Pair {
            try await Self.make(
                name, in: folder, "-CA", authority.certificate, "-CAkey", authority.key, "-addext",
                "subjectAltName=\(alternativeName)")
        }
        server = try await signed("server", "DNS:localhost,IP:127.0.0.1")
        elsewhere = try await signed("elsewhere", "DNS:broker.example")
        client = try await signed("client", "DNS:box-01")
    }

    /// One that nobody has signed, with these names.
    package static func selfSigned(
        _ name: String, _ alternativeNames: String, in folder: TemporaryFolder
    ) async throws -> Pair {
        try await make(name, in: folder, "-addext", "subjectAltName=\(alternativeNames)")
    }

    /// Signed by an authority that ``authority`` has signed.
    ///
    /// - Returns: the certificate and its key, and the certificate of the authority between.
    package func indirect(
        _ name: String, _ alternativeName: String, in folder: TemporaryFolder
    ) async throws -> (pair: Pair, intermediate: String) {
        let intermediate = try await Self.make(
            "intermediate", in: folder, "-CA", authority.certificate, "-CAkey", authority.key, "-addext",
            "keyUsage=critical,keyCertSign")
        let pair = try await Self.make(
            name, in: folder, "-CA", intermediate.certificate, "-CAkey", intermediate.key, "-addext",
            "subjectAltName=\(alternativeName)")
        return (pair, intermediate.certificate)
    }

    /// Signed by ``authority``, for `localhost`, with a key or a hash that is too weak for OpenSSL's usual security level.
    package func weak(_ name: String, bits: Int = 2048, hash: String = "sha256", in folder: TemporaryFolder)
        async throws
        -> Pair
    {
        try await Self.make(
            name, in: folder, key: ["-newkey", "rsa:\(bits)", "-\(hash)"], "-CA", authority.certificate, "-CAkey",
            authority.key, "-addext", "subjectAltName=DNS:localhost")
    }

    private static func makeAuthority(_ name: String, in folder: TemporaryFolder) async throws -> Pair {
        try await make(name, in: folder, "-addext", "keyUsage=critical,keyCertSign")
    }

    private static func make(
        _ name: String, in folder: TemporaryFolder,
        key: [String] = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], _ options: String...
    ) async throws -> Pair {
        let pair = Pair(certificate: folder.file("\(name).pem"), key: folder.file("\(name).key"))
        let arguments =
            [
                "openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout", pair.key, "-out",
                pair.certificate,
            ] + key + options
        let child = try ChildProcess(arguments)
        guard try await child.exitStatus() == 0 else {
            throw TestFailure("openssl: \(try await child.errors.all().joined(separator: "; "))")
        }
        return pair
    }
}
