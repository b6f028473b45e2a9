/// An authority that keeps books, as `openssl ca` does: it can date its certificates and revoke them.
package struct TestAuthority: Sendable {
    package let certificate: String
    private let folder: TemporaryFolder
    private let configuration: String

    /// - Parameter folder: for its key, its books and all that it signs.
    package init(in folder: TemporaryFolder) async throws {
        try self.init(of: folder.file("ca.pem"), key: folder.file("ca.key"), in: folder)
        try await ChildProcess.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout",
            folder.file("ca.key"), "-out", certificate)
    }

    /// Books for an authority that is there.
    package init(of certificate: String, key: String, in folder: TemporaryFolder) throws {
        self.folder = folder
        self.certificate = certificate
        try folder.write("", to: "index.txt")
        try folder.write("01\n", to: "serial")
        try folder.write("01\n", to: "crlnumber")
        configuration = try folder.write(
            """
            [ca]
            default_ca = books
            [books]
            database = \(folder.path)/index.txt
            serial = \(folder.path)/serial
            crlnumber = \(folder.path)/crlnumber
            new_certs_dir = \(folder.path)
            certificate = \(certificate)
            private_key = \(key)
            default_md = sha256
            default_days = 2
            default_crl_days = 2
            policy = names
            copy_extensions = copy
            unique_subject = no
            [names]
            commonName = supplied

            """, to: "ca.conf")
    }

    /// Signs a certificate for a new key.
    ///
    /// - Parameters:
    ///   - name: its common name, and the name of its files.
    ///   - alternativeName: as in `DNS:localhost,IP:127.0.0.1`.
    ///   - validity: the first and the last moment, as in `20200101000000Z`; two days from now unless given.
    package func issue(
        _ name: String, alternativeName: String = "DNS:box", validity: (from: String, until: String)? = nil
    ) async throws -> TestCertificates.Pair {
        let pair = TestCertificates.Pair(certificate: folder.file("\(name).pem"), key: folder.file("\(name).key"))
        try await ChildProcess.run(
            "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=\(name)", "-addext", "subjectAltName=\(alternativeName)", "-keyout", pair.key, "-out",
            folder.file("\(name).csr"))
        if let validity {
            try await books(
                "-in", folder.file("\(name).csr"), "-out", pair.certificate, "-startdate", validity.from, "-enddate",
                validity.until)
        } else {
            try await books("-in", folder.file("\(name).csr"), "-out", pair.certificate)
        }
        return pair
    }

    /// Signs a request that somebody else has made.
    ///
    /// - Returns: the path of the certificate.
    package func sign(_ request: String, as name: String, from: String, until: String) async throws -> String {
        try await books("-in", request, "-out", folder.file("\(name).pem"), "-startdate", from, "-enddate", until)
        return folder.file("\(name).pem")
    }

    package func revoke(_ pair: TestCertificates.Pair) async throws { try await books("-revoke", pair.certificate) }

    /// - Returns: the path of the list of what has been revoked so far.
    package func revocationList() async throws -> String {
        try await books("-gencrl", "-out", folder.file("crl.pem"))
        return folder.file("crl.pem")
    }

    private func books(_ arguments: String...) async throws {
        let child = try ChildProcess(["openssl", "ca", "-batch", "-notext", "-config", configuration] + arguments)
        guard try await child.exitStatus() == 0 else {
            throw TestFailure("openssl ca: \(try await child.errors.all().joined(separator: "; "))")
        }
    }
}
