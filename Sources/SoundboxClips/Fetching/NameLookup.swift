import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Looks names up with getaddrinfo(3), which nothing can interrupt: on threads that may be left behind, of which there are
/// never more than ``most``.
struct NameLookup: Sendable {
    private static let most = 4

    private final class Count: Sendable {
        let running = Atomic<Int>(0)
    }

    /// Shared by the copies of one look-up.
    private let count = Count()

    /// Suspends for at most `time`.
    /// - Returns: its addresses in the order in which they should be tried.
    func addresses(of host: String, within time: Duration) async throws(ClipError) -> [InternetAddress] {
        guard count.running.add(1, ordering: .relaxed).newValue <= Self.most else {
            count.running.subtract(1, ordering: .relaxed)
            throw ClipError("names cannot be looked up now: \(Self.most) lookups have not ended")
        }
        let answer = await withCheckedContinuation { continuation in
            let once = Once(continuation)
            startThread(named: "clip-lookup") { [count] in
                let answer = Self.resolve(host)
                count.running.subtract(1, ordering: .relaxed)
                once.resume(answer)
            }
            Task {
                try? await Task.sleep(for: time)
                once.resume(.failure(ClipError("the name \(host) was not looked up in time")))
            }
        }
        return try answer.get()
    }

    private static func resolve(_ host: String) -> Result<[InternetAddress], ClipError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else {
            return .failure(ClipError("the name \(host) cannot be looked up: \(String(cString: gai_strerror(code)))"))
        }
        defer { freeaddrinfo(first) }
        var addresses: [InternetAddress] = []
        for entry in sequence(first: first, next: { $0?.pointee.ai_next }) {
            guard let entry, let address = entry.pointee.ai_addr else { break }
            // ip(7), ipv6(7): behind family and port; in IPv6 the flow comes first.
            let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
            let found: InternetAddress? =
                switch Int32(address.pointee.sa_family) {
                case AF_INET where raw.count >= 8: InternetAddress(bytes: Array(raw[4..<8]))
                case AF_INET6 where raw.count >= 24: InternetAddress(bytes: Array(raw[8..<24]))
                default: nil
                }
            if let found, !addresses.contains(found) { addresses.append(found) }
        }
        return addresses.isEmpty ? .failure(ClipError("the name \(host) has no address")) : .success(addresses)
    }

    /// The first answer counts.
    private final class Once: Sendable {
        typealias Answer = Result<[InternetAddress], ClipError>
        private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

        init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = Mutex(continuation) }

        func resume(_ answer: Answer) {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume(returning: answer)
        }
    }
}

extension InternetAddress {
    /// As inet_ntop(3) writes it: `192.0.2.1`, `2001:db8::1`.
    var text: String {
        let (family, bytes) =
            switch self {
            case .v4(let bytes): (AF_INET, bytes)
            case .v6(let bytes): (AF_INET6, bytes)
            }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
