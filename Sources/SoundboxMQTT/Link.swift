import CTLSClient
import Glibc
import SoundboxCore
import SoundboxSystem

/// One TCP connection, encrypted or not. It owns the socket and closes it. No call waits.
final class Link {
    /// How far the connection has come.
    enum Stage {
        /// TCP is being established.
        case opening
        /// TLS is being established. No MQTT byte is read or written at this stage.
        case shakingHands
        case open
    }

    let socket: Int32
    private(set) var stage = Stage.opening
    private let broker: BrokerAddress
    private let pins: [String]
    private let tls: OpaquePointer?

    /// - Parameters:
    ///   - socket: from ``Endpoint/dial()``. This object closes it, even when this throws.
    ///   - settings: `nil` leaves the connection unencrypted. The files are read now.
    init(socket: Int32, to broker: BrokerAddress, settings: MQTTSettings.TLS?) throws(LinkFailure) {
        self.socket = socket
        self.broker = broker
        pins = settings?.pins ?? []
        guard let settings else {
            tls = nil
            return
        }
        var error = soundbox_tls_error()
        tls = soundbox_tls_new(
            socket, broker.host, settings.caFile, settings.certFile, settings.keyFile, &error)
        guard tls != nil else { throw LinkFailure(error, settings) }
    }

    deinit {
        soundbox_tls_free(tls)
        close(socket)
    }

    /// The `poll` events to wait for before ``advance(_:)`` or ``read(into:)`` can go on.
    var interest: Int16 {
        if case .opening = stage { return Int16(POLLOUT) }
        guard let tls, soundbox_tls_waits_to_write(tls) else { return Int16(POLLIN) }
        return Int16(POLLOUT)
    }

    /// Continues to make the connection.
    ///
    /// - Parameter happened: the events that `poll` has reported for the socket.
    /// - Returns: whether it is open: established, encrypted if it has to be, and the broker's key checked.
    func advance(_ happened: Int32) throws(LinkFailure) -> Bool {
        if stage == .opening {
            guard happened != 0 else { return false }
            try finishOpening(hungUp: happened & (POLLHUP | POLLERR) != 0)
            stage = tls == nil ? .open : .shakingHands
        }
        if stage == .shakingHands, let tls {
            var error = soundbox_tls_error()
            switch soundbox_tls_shake_hands(tls, &error) {
            case 0: return false
            case 1: try checkKey(tls)
            default: throw LinkFailure(error)
            }
            stage = .open
        }
        return true
    }

    private func finishOpening(hungUp: Bool) throws(LinkFailure) {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
        if code == 0, hungUp { code = ECONNRESET }
        guard code == 0 else { throw .system(SystemError(code: code)) }
    }

    /// Comes before anything that the broker has sent is read, and before anything, such as a password, is sent to it.
    private func checkKey(_ tls: OpaquePointer) throws(LinkFailure) {
        guard !pins.isEmpty else { return }
        var text = [CChar](repeating: 0, count: Int(SOUNDBOX_PIN_CAPACITY))
        let isRead = soundbox_tls_peer_pin(tls, &text)
        let pin = isRead ? String(decoding: text.dropLast().map(UInt8.init), as: UTF8.self) : nil
        guard let pin, pins.contains(pin) else { throw .tls(.unknownKey(pin: pin)) }
    }

    /// - Returns: how many bytes were read; 0 when none have arrived.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws(LinkFailure) -> Int {
        if let tls {
            var error = soundbox_tls_error()
            let count = soundbox_tls_read(tls, bytes.baseAddress, bytes.count, &error)
            guard count >= 0 else { throw LinkFailure(error) }
            return count
        }
        let count = recv(socket, bytes.baseAddress, bytes.count, 0)
        if count == 0 { throw .closed }
        return try moved(count)
    }

    /// - Returns: how many bytes the network took; 0 while it has no room.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LinkFailure) -> Int {
        if let tls {
            var error = soundbox_tls_error()
            let count = soundbox_tls_write(tls, bytes.baseAddress, bytes.count, &error)
            guard count >= 0 else { throw LinkFailure(error) }
            return count
        }
        return try moved(send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    private func moved(_ count: Int) throws(LinkFailure) -> Int {
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case ECONNRESET, EPIPE: throw .closed
        case let code: throw .system(SystemError(code: code))
        }
    }

    /// Tells the broker that nothing follows.
    func finish() {
        if let tls { soundbox_tls_finish(tls) }
    }
}

extension LinkFailure {
    /// - Parameter settings: whose files were being read; `nil` when none were.
    fileprivate init(_ error: soundbox_tls_error, _ settings: MQTTSettings.TLS? = nil) {
        let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        func unusable(_ file: MQTTError.CredentialFile, _ path: String?) -> LinkFailure {
            .settings(.unusable(file, path: path, reason: text))
        }
        self =
            switch error.failure {
            case SOUNDBOX_TLS_CLOSED: .closed
            case SOUNDBOX_TLS_SYSTEM: .system(SystemError(code: error.code))
            case SOUNDBOX_TLS_MISSING_ISSUER: .tls(.untrusted(.missingIssuer(text)))
            case SOUNDBOX_TLS_UNKNOWN_AUTHORITY: .tls(.untrusted(.unknownAuthority(text)))
            case SOUNDBOX_TLS_SELF_SIGNED: .tls(.untrusted(.selfSigned))
            case SOUNDBOX_TLS_NOT_YET_VALID: .tls(.untrusted(.notYetValid))
            case SOUNDBOX_TLS_EXPIRED: .tls(.untrusted(.expired))
            case SOUNDBOX_TLS_WEAK_KEY: .tls(.untrusted(.weakKey))
            case SOUNDBOX_TLS_WEAK_SIGNATURE: .tls(.untrusted(.weakSignature))
            case SOUNDBOX_TLS_UNTRUSTED: .tls(.untrusted(.other(text)))
            case SOUNDBOX_TLS_OTHER_HOST: .tls(.otherHost)
            case SOUNDBOX_TLS_WANTS_CERTIFICATE: .tls(.wantsCertificate)
            case SOUNDBOX_TLS_NOT_TLS: .tls(.notTLS)
            case SOUNDBOX_TLS_OLD_VERSION: .tls(.oldVersion)
            case SOUNDBOX_TLS_BAD_AUTHORITIES: unusable(.authorities, settings?.caFile)
            case SOUNDBOX_TLS_BAD_CERTIFICATE: unusable(.certificate, settings?.certFile)
            case SOUNDBOX_TLS_BAD_KEY: unusable(.key, settings?.keyFile)
            default: .tls(.other(text))
            }
    }
}
