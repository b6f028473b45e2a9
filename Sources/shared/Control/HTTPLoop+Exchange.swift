import CMicroHTTPD
import Glibc

extension HTTPLoop {
    /// A connection. libmicrohttpd holds one reference from its beginning to its end.
    final class Client {
        let socket: Int32
        private(set) var endsAt: ContinuousClock.Instant
        /// Since its beginning, the first line or a piece of its last request, or the end of the last answer.
        private(set) var idleSince = ContinuousClock.now
        var isCut = false
        /// Set between the first line of a request and the last byte of its answer.
        var exchange: Exchange?

        /// The client has closed its sending side; there may be something left to read.
        var isHalfClosed = false

        /// Whether a request has not begun, or has not arrived completely.
        var isToSpeak: Bool {
            switch exchange?.state {
            case nil, .begun, .receiving, .refused: !isCut
            case .answering, .answered, .sent, .cut: false
            }
        }

        /// Whether its request is complete, and its answer not sent.
        var isOwedAnAnswer: Bool {
            switch exchange?.state {
            case nil, .begun, .receiving, .refused, .cut: false
            case .answering, .answered, .sent: true
            }
        }

        /// Whether there is something to read that libmicrohttpd has not read.
        var hasSaidMore: Bool {
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
        }

        /// Whether the client sends no more, and everything before has been read.
        var hasSaidAll: Bool {
            var byte: UInt8 = 0
            return isHalfClosed && recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
        }

        init(_ connection: OpaquePointer, lifetime: Duration) {
            socket = soundbox_http_socket(connection)
            endsAt = .now + lifetime
        }

        func live(for lifetime: Duration) { endsAt = .now + lifetime }

        func stir() { idleSince = .now }
    }

    /// A request and its answer. libmicrohttpd holds one reference from its first line to its end.
    final class Exchange {
        enum State {
            case begun
            case receiving
            /// The answer was sent past libmicrohttpd while the body still comes.
            case refused
            /// Its connection is suspended.
            case answering
            case answered(HTTPResponse)
            /// libmicrohttpd has the answer, and asks for its body.
            case sent
            /// The client is gone.
            case cut
        }

        let number: UInt64
        let connection: OpaquePointer
        let target: [UInt8]
        /// The headers that the handler gets.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Including bytes that are not kept.
        var receivedCount = 0
        var state = State.begun
        /// The rest of the answer's body: bytes still to be sent, and the function that makes more.
        var unsent: ArraySlice<UInt8> = []
        var rest: (@Sendable () async throws -> [UInt8]?)?

        init(number: UInt64, _ connection: OpaquePointer, target: [UInt8]) {
            self.number = number
            self.connection = connection
            self.target = target
        }

        static func from(_ reference: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Exchange? {
            reference?.pointee.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    /// What libmicrohttpd holds of an answer in pieces, until it has sent it.
    final class Reader {
        // The daemon ends before its loop, and with it everything that it holds.
        unowned let loop: HTTPLoop
        let exchange: Exchange
        var both: (HTTPLoop, Exchange) { (loop, exchange) }

        init(_ loop: HTTPLoop, _ exchange: Exchange) { (self.loop, self.exchange) = (loop, exchange) }
    }
}
