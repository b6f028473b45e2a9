/// `openssl s_server` on 127.0.0.1, which also serves what the box refuses.
///
/// - Parameters:
///   - options: more of its options, such as `-tls1_1`.
///   - body: called while it runs.
package func withTLSServer(
    _ pair: TestCertificates.Pair, options: [String] = [], _ body: (_ port: Int) async throws -> Void
) async throws {
    let port = try LoopbackSocket.freePort()
    let server = try ChildProcess(
        [
            "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", pair.certificate, "-key", pair.key, "-www",
            "-cipher", "ALL:@SECLEVEL=0",
        ] + options)
    defer { server.kill9() }
    while true { if try await server.output.next().hasPrefix("ACCEPT") { break } }
    try await body(port)
}
