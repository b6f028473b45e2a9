import CMicroHTTPD
import Glibc
import SoundboxSystem

/// The thread of an ``HTTPServer``: all calls of libmicrohttpd are made here.
///
/// libmicrohttpd could run a thread of its own. Then connections would be resumed, cut and counted on other threads
/// than the one that ends them, and the server could not react when the process runs out of descriptors.
final class HTTPLoop {
    private let server: HTTPServer
    private let listener: any HTTPListener
    private var daemon: OpaquePointer?
    /// Oldest first.
    private var clients: [Client] = []
    /// Exchanges whose connections are suspended until their answers come.
    private var answering: [UInt64: Exchange] = [:]
    private var lastExchange: UInt64 = 0
    /// Until then no connection is accepted, because there was no descriptor left.
    private var restsUntil: ContinuousClock.Instant?
    /// Set when the server has been stopped.
    private var endsAt: ContinuousClock.Instant?

    init(_ server: HTTPServer, _ listener: any HTTPListener) throws(ControlError) {
        self.server = server
        self.listener = listener
        // Unretained: the daemon ends before `run()` returns, and before `self` is released without it.
        daemon = soundbox_http_start(
            server.limits.idleSeconds, server.limits.memory, server.identity?.certificate, server.identity?.key,
            Unmanaged.passUnretained(self).toOpaque(),
            { context, target, connection in
                guard let target, let connection else { return nil }
                return HTTPLoop.from(context).begin(target: target, on: connection)
            },
            { context, connection, _, method, version, bytes, count, reference in
                guard let connection, let method, let version, let count, let exchange = Exchange.from(reference) else {
                    return soundbox_http_result(false)
                }
                let bytes = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
                count.pointee = 0
                let loop = HTTPLoop.from(context)
                return soundbox_http_result(
                    loop.goOn(with: exchange, on: connection, method: method, version: version, bytes))
            },
            { context, connection, reference, _ in
                guard let connection, let exchange = reference?.pointee else { return }
                reference?.pointee = nil
                // Balances `begin`.
                HTTPLoop.from(context).end(Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue(), on: connection)
            },
            { context, connection, reference, event in
                guard let connection, let reference else { return }
                let loop = HTTPLoop.from(context)
                if soundbox_http_is_start(event) {
                    let client = Client(connection, lifetime: loop.server.limits.lifetime)
                    loop.clients.append(client)
                    reference.pointee = Unmanaged.passRetained(client).toOpaque()
                } else if let client = reference.pointee {
                    reference.pointee = nil
                    // Balances the beginning above.
                    loop.forget(Unmanaged<Client>.fromOpaque(client).takeRetainedValue())
                }
            })
        guard daemon != nil else {
            // libmicrohttpd does not say which of its parts refused.
            let reason =
                server.identity.map {
                    "\($0.name) cannot be used; is that the certificate's own key, and are both PEM, without a passphrase?"
                } ?? "\(SystemError.last)"
            throw ControlError(reason: "the HTTP server does not start: \(reason)")
        }
    }

    deinit { stop() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPLoop {
        // Never `nil`: it is what the daemon was started with.
        Unmanaged<HTTPLoop>.fromOpaque(context!).takeUnretainedValue()
    }

    // MARK: The loop

    /// Returns when the server has been stopped and its clients are gone.
    func run() {
        while true {
            let now = ContinuousClock.now
            for client in clients where client.endsAt <= now { cut(client) }
            MHD_run(daemon)
            if let endsAt {
                for client in clients where client.exchange == nil { cut(client) }
                if clients.isEmpty || endsAt <= now { break }
            }
            wait()
        }
        stop()
    }

    /// Sleeps until something is due, and handles what libmicrohttpd does not.
    private func wait() {
        let now = ContinuousClock.now
        if let rest = restsUntil, rest <= now { restsUntil = nil }
        let own = ([restsUntil, endsAt].compactMap(\.self) + clients.filter { !$0.isCut }.map(\.endsAt)).min()
        var timeout = own.map { ($0 - now).pollMilliseconds } ?? -1
        let daemons = soundbox_http_timeout(daemon)
        if daemons >= 0 { timeout = Int32(min(daemons, timeout < 0 ? Int64(Int32.max) : Int64(timeout))) }
        // libmicrohttpd does not notice the end of input when it arrives together with the last bytes. While it has
        // bytes to read, there may be a request among them.
        let speakers = daemons == 0 ? [] : clients.filter(\.isToSpeak)
        for client in speakers where client.hasSaidAll { cut(client) }
        let open = speakers.filter { !$0.isHalfClosed }
        let listens = restsUntil == nil && endsAt == nil && hasRoom
        // poll(2) ignores a negative descriptor.
        var polled = [
            server.mailbox.descriptor, soundbox_http_descriptor(daemon), (listens ? listener.descriptor : nil) ?? -1,
            (endsAt == nil ? listener.watch : nil) ?? -1,
        ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        polled += open.map { pollfd(fd: $0.socket, events: soundbox_http_no_more(), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return }
        for (client, event) in zip(open, polled.dropFirst(4)) where event.revents != 0 { client.isHalfClosed = true }
        if polled[0].revents != 0 { hear() }
        if polled[3].revents != 0 { listener.restoreIfRemoved() }
        if polled[2].revents != 0, endsAt == nil { accept() }
    }

    private func hear() {
        for mail in server.mailbox.takeAll() {
            switch mail {
            case .answer(let number, let response):
                // Otherwise the connection is gone.
                if let exchange = answering[number] { resume(exchange, .answered(response)) }
            case .piece(let number, let piece):
                if let exchange = answering[number] { goOn(with: exchange, piece) }
            case .stop:
                listener.close()
                endsAt = endsAt ?? .now + server.limits.farewell
            }
        }
    }

    /// Accepts one at a time, so that each client of a crowd is read before it becomes the oldest.
    private func accept() {
        guard let descriptor = listener.descriptor else { return }
        let accepted = soundbox_http_accept(descriptor)
        guard accepted >= 0 else {
            // Otherwise there is none, or it is gone already.
            if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { restsUntil = .now + server.limits.rest }
            return
        }
        guard server.admits(accepted) else {
            close(accepted)
            return
        }
        makeRoom()
        // It closes a connection that it cannot take.
        _ = soundbox_http_add(daemon, accepted)
    }

    /// Whether a connection may be accepted: there is a place, or somebody may go.
    private var hasRoom: Bool {
        guard server.limits.waitsForAnswers else { return true }
        let others = clients.lazy.filter { !$0.isCut }
        return others.count < server.limits.mostConnections || others.contains { !$0.isOwedAnAnswer }
    }

    /// Who has been idle for the longest goes. One whose request is complete goes only if all are, unless it is waited for.
    private func makeRoom() {
        let others = clients.filter { !$0.isCut }
        let excess = others.count + 1 - server.limits.mostConnections
        guard excess > 0 else { return }
        // What has just come may be the rest of a request.
        func rank(_ client: Client) -> Int { client.isOwedAnAnswer ? 2 : client.hasSaidMore ? 1 : 0 }
        let ranked = others.map { (client: $0, rank: rank($0)) }
        let order = ranked.sorted { ($0.rank, $0.client.idleSince) < ($1.rank, $1.client.idleSince) }
        for (client, rank) in order.prefix(excess) where rank < 2 || !server.limits.waitsForAnswers { cut(client) }
    }

    /// The client notices at once, libmicrohttpd when it runs next.
    private func cut(_ client: Client) {
        guard !client.isCut else { return }
        client.isCut = true
        shutdown(client.socket, Int32(SHUT_RDWR))
        // libmicrohttpd does not watch a suspended connection, and would keep it until its answer comes.
        if let exchange = client.exchange, answering[exchange.number] != nil { resume(exchange, .cut) }
    }

    private func resume(_ exchange: Exchange, _ state: Exchange.State) {
        answering[exchange.number] = nil
        exchange.state = state
        MHD_resume_connection(exchange.connection)
    }

    private func stop() {
        guard let daemon else { return }
        self.daemon = nil
        for client in clients { cut(client) }
        // It must not be stopped with suspended connections.
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
    }

    // MARK: What libmicrohttpd tells

    private func begin(target: UnsafePointer<CChar>, on connection: OpaquePointer) -> UnsafeMutableRawPointer {
        lastExchange += 1
        let target = UnsafeRawBufferPointer(start: target, count: strlen(target))
        let exchange = Exchange(number: lastExchange, connection, target: Array(target))
        let client = client(of: connection)
        client?.exchange = exchange
        client?.stir()
        return Unmanaged.passRetained(exchange).toOpaque()
    }

    /// Called when the headers are there, with each piece of the body, when the request is complete, and when the
    /// connection has been resumed.
    ///
    /// - Returns: `false` to end the connection.
    private func goOn(
        with exchange: Exchange, on connection: OpaquePointer, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let limits = server.limits
        switch exchange.state {
        case .begun:
            exchange.state = .receiving
            let head = HTTPHead(of: connection, method: method, version: version, target: exchange.target)
            for name in server.headers() { exchange.headers[name] = head[name] }
            guard let (status, reason) = refusal(of: head) else { return true }
            var response = server.refusal(status, reason)
            // An unread body would be taken for the next request.
            response.headers.append(("Connection", "close"))
            return answer(exchange, response)
        case .receiving where !bytes.isEmpty:
            client(of: connection)?.stir()
            exchange.receivedCount += bytes.count
            guard exchange.receivedCount > limits.longestBody else {
                exchange.body += bytes
                return true
            }
            exchange.body = []
            if refuseInTheMiddle(exchange) { return true }
            // With TLS no answer is possible there. The end is awaited, but only up to a limit.
            return exchange.receivedCount <= 16 * limits.longestBody
        case .refused where !bytes.isEmpty:
            exchange.receivedCount += bytes.count
            return exchange.receivedCount <= Self.mostUnread
        // The client has its answer, and was told that the connection ends.
        case .refused: return false
        case .receiving where exchange.receivedCount > limits.longestBody:
            let (status, reason) = tooLong
            return answer(exchange, server.refusal(status, reason))
        case .receiving:
            exchange.state = .answering
            answering[exchange.number] = exchange
            MHD_suspend_connection(connection)
            var request = HTTPRequest(
                method: String(cString: method), target: exchange.target, body: exchange.body)
            request.headers = exchange.headers
            Task { [server, number = exchange.number] in
                server.mailbox.post(.answer(exchange: number, await server.handler(request)))
            }
            return true
        case .answering, .sent: return true
        case .answered(let response): return answer(exchange, response)
        case .cut: return false
        }
    }

    /// Why to refuse a request before its body comes.
    private func refusal(of head: HTTPHead) -> (status: Int, reason: String)? {
        let limits = server.limits
        if head.headers.count > limits.mostHeaders { return (431, "there are more than \(limits.mostHeaders) headers") }
        if let reason = head.ambiguity { return (400, reason) }
        if let length = head["content-length"], Int(length).map({ $0 > limits.longestBody }) ?? true { return tooLong }
        return nil
    }

    /// How much of a body is read that was refused. To close the connection with something unread would take the answer
    /// from the client (RFC 9112, section 9.6).
    private static let mostUnread = 16 << 20

    /// Answers a body that has become too long and is not at its end. libmicrohttpd cannot; but every answer before this
    /// one is sent, so that it may go to the socket itself.
    ///
    /// - Returns: `false` with TLS.
    private func refuseInTheMiddle(_ exchange: Exchange) -> Bool {
        guard server.identity == nil, let client = client(of: exchange.connection) else { return false }
        let (status, reason) = tooLong
        let response = server.refusal(status, reason)
        let headers =
            [
                ("Connection", "close"), ("Content-Type", response.contentType),
                ("Content-Length", "\(response.body.count)"),
            ] + response.headers
        let head = headers.reduce("HTTP/1.1 \(status) Content Too Large\r\n") { "\($0)\($1.0): \($1.1)\r\n" }
        let bytes = Array("\(head)\r\n".utf8) + response.body
        guard
            CMicroHTTPD.send(client.socket, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                == bytes.count
        else { return false }
        shutdown(client.socket, Int32(SHUT_WR))
        exchange.state = .refused
        return true
    }

    private var tooLong: (status: Int, reason: String) {
        (413, "the body is longer than \(server.limits.longestBody) bytes")
    }

    private func answer(_ exchange: Exchange, _ response: HTTPResponse) -> Bool {
        exchange.state = .sent
        guard let body = body(of: response, to: exchange) else { return false }
        let headers = [("Content-Type", response.contentType)] + response.headers
        var texts: [UnsafePointer<CChar>?] = headers.flatMap { [UnsafePointer(strdup($0)), UnsafePointer(strdup($1))] }
        defer { for text in texts { free(UnsafeMutablePointer(mutating: text)) } }
        texts.append(nil)
        return soundbox_http_answer(exchange.connection, UInt32(response.status), texts, body)
    }

    /// - Returns: `nil` when there is no memory left.
    private func body(of response: HTTPResponse, to exchange: Exchange) -> OpaquePointer? {
        guard let rest = response.rest else { return soundbox_http_body(response.body, response.body.count) }
        (exchange.unsent, exchange.rest) = (response.body[...], rest)
        let reader = Unmanaged.passRetained(Reader(self, exchange))
        let body = soundbox_http_pieces(
            { reader, _, buffer, count in
                guard let reader, let buffer else { return soundbox_http_end(false) }
                let (loop, exchange) = Unmanaged<Reader>.fromOpaque(reader).takeUnretainedValue().both
                return loop.send(exchange, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, reader.toOpaque(),
            // Balances the reader's beginning.
            { reader in reader.map { Unmanaged<Reader>.fromOpaque($0).release() } })
        if body == nil { reader.release() }
        return body
    }

    /// - Returns: the number of bytes; 0 while they are being made and the connection is suspended.
    private func send(_ exchange: Exchange, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if case .cut = exchange.state { return soundbox_http_end(false) }
        guard exchange.unsent.isEmpty else {
            let part = exchange.unsent.prefix(buffer.count)
            buffer.copyBytes(from: part)
            exchange.unsent = exchange.unsent.dropFirst(part.count)
            return part.count
        }
        guard let rest = exchange.rest else { return soundbox_http_end(true) }
        exchange.state = .answering
        answering[exchange.number] = exchange
        MHD_suspend_connection(exchange.connection)
        Task { [server, number = exchange.number] in
            let piece: Result<[UInt8]?, any Error>
            do { piece = .success(try await rest()) } catch { piece = .failure(error) }
            server.mailbox.post(.piece(exchange: number, piece))
        }
        return 0
    }

    private func goOn(with exchange: Exchange, _ piece: Result<[UInt8]?, any Error>) {
        guard case .success(let piece) = piece else { return resume(exchange, .cut) }
        if let piece { exchange.unsent = piece[...] } else { exchange.rest = nil }
        if server.limits.renewsLifetime, let client = client(of: exchange.connection) {
            client.live(for: server.limits.lifetime)
        }
        resume(exchange, .sent)
    }

    private func end(_ exchange: Exchange, on connection: OpaquePointer) {
        answering[exchange.number] = nil
        guard let client = client(of: connection), client.exchange === exchange else { return }
        client.exchange = nil
        client.stir()
        if server.limits.renewsLifetime { client.live(for: server.limits.lifetime) }
    }

    private func forget(_ client: Client) { clients.removeAll { $0 === client } }

    private func client(of connection: OpaquePointer) -> Client? {
        soundbox_http_context(connection).map { Unmanaged<Client>.fromOpaque($0).takeUnretainedValue() }
    }
}
