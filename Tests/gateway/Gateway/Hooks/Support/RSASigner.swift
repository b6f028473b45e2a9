import TestSupport

/// A provider's RSA key, made afresh by the `openssl` command.
struct RSASigner {
    private let folder: TemporaryFolder
    private let key: String
    /// Files in PEM.
    let publicKey: String
    let certificate: String

    init(_ name: String, bits: Int = 2048, days: Int = 2, in folder: TemporaryFolder) async throws {
        self.folder = folder
        (key, publicKey) = (folder.file("\(name).key"), folder.file("\(name).pub"))
        certificate = folder.file("\(name).crt")
        try await ChildProcess.run(
            "openssl", "req", "-x509", "-nodes", "-days", "\(days)", "-newkey", "rsa:\(bits)", "-subj", "/CN=\(name)",
            "-keyout", key, "-out", certificate)
        try await ChildProcess.run("openssl", "pkey", "-in", key, "-pubout", "-out", publicKey)
    }

    /// RSASSA-PKCS1-v1_5, or with further options of `openssl dgst`.
    /// - Returns: in base64.
    func sign(_ bytes: [UInt8], hash: String = "sha256", _ options: String...) async throws -> String {
        try folder.write(bytes, to: "signed")
        let arguments = ["openssl", "dgst", "-\(hash)", "-sign", key, "-out", folder.file("signature")] + options
        guard try await ChildProcess(arguments + [folder.file("signed")]).exitStatus() == 0 else {
            throw TestFailure("openssl dgst")
        }
        return base64(try folder.read("signature"))
    }
}

/// RFC 4648.
func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start...].prefix(3)
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for index in 0..<4 { text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : "=") }
    }
    return text
}
