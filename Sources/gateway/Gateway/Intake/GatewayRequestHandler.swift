import Logging
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Answers the requests of payment systems: ``GatewayRoute``. Any thread.
package final class GatewayRequestHandler: Sendable {
    let intake: PaymentIntake
    let lists: StoreReader
    private let served: Mutex<Served>
    private let known: @Sendable (BoxID) -> KnownBox?
    let isConnected: @Sendable () -> Bool
    let commands: Commands
    let clock: GatewayClock
    let metrics: GatewayMetrics
    let logger: Logger
    /// Lines about what is refused, and about what cannot be stored.
    private let refusalLines = RateLimit()
    private let storeLines = RateLimit()

    package typealias Commands =
        @Sendable (_ type: String, _ members: [(name: String, value: JSONValue)], BoxID, _ isAway: Bool) async ->
        PendingCommands.Outcome

    package init(
        intake: PaymentIntake, lists: StoreReader, tokens: AccessTokens, reader: WebhookReader,
        known: @escaping @Sendable (BoxID) -> KnownBox?, isConnected: @escaping @Sendable () -> Bool,
        commands: @escaping Commands,
        clock: GatewayClock, metrics: GatewayMetrics, logger: Logger
    ) {
        self.intake = intake
        self.lists = lists
        served = Mutex(
            Served(
                tokens: tokens,
                webhooks: WebhookHandler(reader, intake: intake, clock: clock, metrics: metrics, logger: logger)))
        self.known = known
        self.isConnected = isConnected
        self.commands = commands
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// What is read from files, and replaced as a whole: a request sees the old or the new one.
    private struct Served {
        let tokens: AccessTokens
        let webhooks: WebhookHandler
    }

    /// Requests that are being answered keep what they began with.
    package func replace(_ tokens: AccessTokens, _ reader: WebhookReader) {
        let webhooks = WebhookHandler(reader, intake: intake, clock: clock, metrics: metrics, logger: logger)
        served.withLock { $0 = Served(tokens: tokens, webhooks: webhooks) }
    }

    /// The headers that the server has to hand on.
    package var headers: [String] { served.withLock { $0.webhooks.headers } }

    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard let path = Self.segments(of: request.path) else { return .error(400, "the path is not UTF-8") }
        // libmicrohttpd omits the body of an answer to HEAD, which load balancers ask with.
        let match = GatewayRoute.match(request.method == "HEAD" ? "GET" : request.method, path)
        let served = served.withLock { $0 }
        switch match {
        case .route(.health): return await health(request)
        case .route(.webhook): return await served.webhooks.answer(request, to: path[1])
        case .methods(let methods) where path[0] == "hooks" || path[0] == "healthz": return .wrongMethod(methods)
        default: break
        }
        let access: AccessTokens.Access
        switch served.tokens.verdict(on: request.headers["authorization"]) {
        case .admitted(let admitted): access = admitted
        case .tooFast(let name):
            metrics.count(.tooFast)
            return .tooFast(name)
        case .unknown:
            metrics.count(.unauthorised)
            var response = HTTPResponse.error(
                401, "expected the header Authorization: Bearer TOKEN, with a known token")
            response.headers = [("WWW-Authenticate", "Bearer")]
            return response
        }
        switch match {
        case .none:
            let routes = GatewayRoute.allCases.map(\.rawValue).joined(separator: ", ")
            return .error(404, "expected one of: \(routes)")
        case .methods(let methods): return .wrongMethod(methods)
        case .route(let route): return await answer(request, route, path, access, served.webhooks.reader.decoder)
        }
    }

    private func answer(
        _ request: HTTPRequest, _ route: GatewayRoute, _ path: [String], _ access: AccessTokens.Access,
        _ decoder: PaymentNoticeDecoder
    ) async -> HTTPResponse {
        if let right = route.right, !access.rights.contains(right) {
            return forbidden("the token \(access.name) has no right \(right.rawValue)", access)
        }
        if route == .list { return await list(request.query, access) }
        let box: BoxID
        do throws(BoxIDError) { box = try BoxID(merchant: path[1], device: path[2]) } catch {
            return .error(422, error.problem, field: error.field)
        }
        guard access.covers(merchant: box.merchant) else {
            return forbidden("the token \(access.name) is for other merchants", access)
        }
        switch route {
        case .post: return await post(request.body, for: box, access.name, decoder)
        case .payment: return await state(of: path[3], request, box)
        case .box: return self.box(in: box)
        case .cancel, .volume, .say, .ring, .replay:
            return await command(path[3], request.body, to: box, access.name)
        // Answered before.
        case .health, .webhook, .list: return .error(404, "not found")
        }
    }

    private func forbidden(_ reason: String, _ access: AccessTokens.Access) -> HTTPResponse {
        metrics.count(.forbidden)
        if refusalLines.take() != nil {
            logger.notice("refused", metadata: ["reason": "\(reason)", "token": "\(access.name)"])
        }
        return .error(403, reason)
    }

    /// The parts of a path between its slashes, percent-decoded; `nil` unless they are UTF-8.
    static func segments(of path: String) -> [String]? {
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let bytes = PercentEncoding.decoded(part.utf8) else { return nil }
            guard let segment = String(validating: bytes, as: UTF8.self) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    // MARK: Health

    /// Anybody may ask: no more than words.
    private func health(_ request: HTTPRequest) async -> HTTPResponse {
        let of = request.query.first { $0.name == "of" }?.value
        guard of == nil || of == "store" else { return .error(400, "expected store", field: "of") }
        let (stores, isConnected) = (await intake.canStore(), isConnected())
        let isWell = stores && (isConnected || of == "store")
        return HTTPResponse(
            isWell ? 200 : 503,
            .object([
                ("store", .string(stores ? "ok" : "failing")),
                ("broker", .string(isConnected ? "connected" : "not connected")),
            ]))
    }

    // MARK: Payments

    private func post(
        _ body: [UInt8], for box: BoxID, _ sender: String, _ decoder: PaymentNoticeDecoder
    ) async -> HTTPResponse {
        let notice: PaymentNotice
        do throws(NoticeRejection) {
            guard case .notice(let read, let unread) = try decoder.decode(body) else {
                return .error(422, "no payment")
            }
            // Signed, it needs a time that the box can read.
            if let problem = unread.paidAt { throw problem }
            notice = read
        } catch {
            metrics.count(.refused)
            if refusalLines.take() != nil {
                logger.notice("refused", metadata: ["box": "\(box)", "reason": "\(error)", "token": "\(sender)"])
            }
            return .error(422, error.problem, field: error.field)
        }
        do throws(StoreError) {
            let outcome = try await intake.accept(notice, for: box, from: sender)
            switch outcome {
            case .accepted: metrics.count(.accepted)
            case .known, .knownElsewhere: metrics.count(.known)
            case .differs(let money):
                metrics.count(.differs)
                return .error(409, "the id is known with another amount: \(money)", field: "amount")
            }
            var state = PaymentState.accepted
            if case .known(let known) = outcome { state = known }
            var members: [(name: String, value: JSONValue)] = [
                ("id", .string(notice.id.text)), ("state", .string(state.rawValue)),
            ]
            members += neverSeen(box)
            return HTTPResponse(200, .object(members))
        } catch {
            metrics.count(.failed)
            if storeLines.take() != nil {
                logger.error("a payment cannot be stored", metadata: ["reason": "\(error)"])
            }
            return .error(503, "the payment could not be stored; send it again")
        }
    }

    /// What an answer says of a box that no status was ever seen of: a mistake in its name, perhaps.
    private func neverSeen(_ box: BoxID) -> [(name: String, value: JSONValue)] {
        known(box)?.seenAt == nil ? [("box", .string("never seen"))] : []
    }

    private func state(of id: String, _ request: HTTPRequest, _ box: BoxID) async -> HTTPResponse {
        guard let id = try? PaymentID(id) else { return .error(422, "expected 1 to 128 bytes", field: "id") }
        let isRefund = request.query.contains { $0 == ("kind", "refund") }
        do throws(StoreError) {
            guard let payment = try await intake.payment(id.of(isRefund ? .refund : .payment), of: box) else {
                return .error(404, "this payment is not known here")
            }
            return HTTPResponse(200, payment.json)
        } catch {
            logger.error("a payment cannot be read", metadata: ["reason": "\(error)"])
            return .error(503, "the store cannot be read")
        }
    }

    private func list(
        _ parameters: [(name: String, value: String)], _ access: AccessTokens.Access
    ) async -> HTTPResponse {
        var query: PaymentQuery
        do throws(ParameterProblem) { query = try PaymentQuery(reading: parameters) } catch {
            return .error(400, error.problem, field: error.parameter)
        }
        guard query.merchants?.allSatisfy(access.covers(merchant:)) ?? true else {
            return forbidden("the token \(access.name) is for other merchants", access)
        }
        query.merchants = query.merchants ?? access.merchants
        do throws(StoreError) { return HTTPResponse(200, try await lists.page(query, at: clock.now).json) } catch {
            logger.error("payments cannot be read", metadata: ["reason": "\(error)"])
            return .error(503, "the store cannot be read")
        }
    }

    private func box(in box: BoxID) -> HTTPResponse {
        guard let known = known(box) else { return .error(404, "nothing is known of this box") }
        return HTTPResponse(200, known.json(of: box, at: clock.now))
    }

    // MARK: Commands

    /// - Parameter type: as in the command. The box checks the rest, and its reply names what is wrong.
    private func command(_ type: String, _ body: [UInt8], to box: BoxID, _ sender: String) async -> HTTPResponse {
        let json: JSONValue
        do { json = body.isEmpty ? .object([]) : try JSONValue(parsing: body) } catch {
            return .error(422, "\(error)", field: "payload")
        }
        guard case .object(let members) = json else { return .error(422, "expected an object", field: "payload") }
        if let id = members.first(where: { $0.name == "id" })?.value, id.string?.isEmpty ?? true {
            return .error(422, "expected a text", field: "id")
        }
        guard isConnected() else { return .error(503, "the broker is not connected; send it again") }
        // It would come too late, or never.
        let known = known(box)
        let isAway = known?.isOnline(at: clock.now.running) != true
        guard type == "cancel" || !isAway else {
            let isUnheard = known?.seenAt != nil && known?.seen == nil
            return .error(409, isUnheard ? "no status of the box since the gateway connected" : "the box is away")
        }
        let outcome = await commands(type, members, box, isAway)
        logger.info(
            "command",
            metadata: ["box": "\(box)", "type": "\(type)", "token": "\(sender)", "outcome": "\(outcome.word)"])
        switch outcome {
        case .reply(let reply): return HTTPResponse(reply["result"]?.string == "ok" ? 200 : 422, reply)
        case .waits(let id):
            return HTTPResponse(
                202, .object([("command", .string(id)), ("result", .string("waiting"))] + neverSeen(box)))
        case .unsent(let reason): return .error(503, "not sent: \(reason)")
        case .noAnswer(let id):
            return HTTPResponse(
                504,
                .object([
                    ("command", .string(id)),
                    ("error", .string("the box has not answered; it may still act for a minute")),
                ]))
        }
    }
}

extension KnownBox {
    /// What `GET /boxes/…` answers.
    func json(of box: BoxID, at now: Moment) -> JSONValue {
        .object([
            ("merchant", .string(box.merchant)), ("device", .string(box.device)),
            ("online", .bool(isOnline(at: now.running))),
            ("seen_at", seenAt.map { .string("\($0)") } ?? .null),
            ("session_epoch", sessionEpoch.map { .integer($0) } ?? .null),
            ("faults", .array(faults.map { .string($0) })),
        ])
    }
}

extension PendingCommands.Outcome {
    /// For the log: texts for the shop are not for it.
    fileprivate var word: String {
        switch self {
        case .reply(let reply): reply["result"]?.string ?? "unknown"
        case .waits: "waiting"
        case .unsent: "unsent"
        case .noAnswer: "no answer"
        }
    }
}

extension HTTPResponse {
    init(_ status: Int, _ json: JSONValue) {
        self.init(status: status, contentType: "application/json", body: json.bytes + [UInt8(ascii: "\n")])
    }

    /// - Parameter field: the field at fault.
    static func error(_ status: Int, _ reason: String, field: String? = nil) -> HTTPResponse {
        let members: [(name: String, value: JSONValue)] = [
            ("error", .string(field.map { "\($0): \(reason)" } ?? reason))
        ]
        let response = HTTPResponse(status, .object(members + (field.map { [("field", .string($0))] } ?? [])))
        return status == 503 ? response.later() : response
    }

    static func wrongMethod(_ methods: [String]) -> HTTPResponse {
        let methods = methods.joined(separator: ", ")
        var response = error(405, "expected \(methods)")
        response.headers = [("Allow", methods)]
        return response
    }

    static func tooFast(_ name: String) -> HTTPResponse {
        var response = error(429, "\(name): more than \(AccessTokens.requestsPerSecond) requests a second")
        response.headers = [("Retry-After", "1")]
        return response
    }
}
