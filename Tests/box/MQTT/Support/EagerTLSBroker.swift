import TestSupport

/// A broker that does not wait for CONNECT: its last message of the TLS handshake and what follows leave in one write, so
/// that they arrive together. mosquitto never does that, and OpenSSL's own programs cannot be told to.
final class EagerTLSBroker: Sendable {
    /// The oldest and the newest version that the feed accepts, by Python's names for them.
    enum Version: String, CaseIterable { case tls12 = "TLSv1_2", tls13 = "TLSv1_3" }

    let port: Int
    /// Packets of TLS are handed to it and taken from it by hand, through memory.
    private static let program = """
        import socket, ssl, sys
        certificate, key, version, packets = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
        context.load_cert_chain(certificate, key)
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            client, _ = listener.accept()
            arriving, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context.wrap_bio(arriving, leaving, server_side=True)
            try:
                while True:
                    try:
                        tls.do_handshake()
                        break
                    except ssl.SSLWantReadError:
                        client.sendall(leaving.read())
                        received = client.recv(65536)
                        if not received:
                            raise OSError("the client hung up")
                        arriving.write(received)
                tls.write(bytes.fromhex(packets))
                client.sendall(leaving.read())
                while client.recv(65536):
                    pass
            except (OSError, ssl.SSLError):
                pass
            client.close()
        """

    private let process: ChildProcess

    /// - Parameter packets: sent with the end of the handshake, on every connection.
    init(_ identity: TestCertificates.Pair, _ version: Version, sending packets: [ControlPacket]) async throws {
        let bytes = packets.flatMap(\.bytes).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        process = try ChildProcess([
            "python3", "-c", Self.program, identity.certificate, identity.key, version.rawValue, bytes.joined(),
        ])
        port = try await process.output.next { Int($0) }
    }

    /// Ends it and waits for its end.
    func stop() async throws {
        process.kill9()
        _ = try await process.exitStatus()
    }
}
