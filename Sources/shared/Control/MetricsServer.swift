import Logging
import ServiceLifecycle
import SoundboxCore

/// Answers `GET /metrics` on a TCP port, and nothing else: commands, history and status cannot be reached there.
///
///     let server = MetricsServer(address: address, metrics: families, logger: logger)
///     await server.run()
///
/// It has its own thread and connections, so its clients cannot affect the control socket.
package struct MetricsServer: Service {
    private let address: ListenAddress
    private let scrapes: Scrapes
    private let logger: Logger

    package init(
        address: ListenAddress, metrics: @escaping @Sendable () async -> [MetricFamily], logger: Logger
    ) {
        self.address = address
        self.scrapes = Scrapes(metrics)
        self.logger = logger
    }

    /// Serves until shutdown. The box announces payments with or without metrics, so a failure is logged and not
    /// thrown.
    package func run() async {
        let place: Logger.Metadata = ["address": "\(address)"]
        do {
            let server = try HTTPServer(
                limits: HTTPServer.Limits(mostConnections: 4, longestBody: 0),
                refusal: { Self.response($1, status: $0) }, handler: answer)
            try await withTaskCancellationOrGracefulShutdownHandler {
                try await server.run(thread: "metrics") { [address] in
                    try TCPListener(address)
                } whenOpen: { [address, logger] in
                    guard address.isEveryAddress else { return logger.info("metrics", metadata: place) }
                    logger.warning(
                        "metrics are told to whoever reaches this machine; name one of its addresses", metadata: place)
                }
            } onCancelOrGracefulShutdown: {
                server.stop()
            }
        } catch {
            logger.error("no metrics", metadata: place.merging(["reason": "\(error)"]) { $1 })
        }
        if !Task.isShuttingDownGracefully { try? await gracefulShutdown() }
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        switch (request.method, request.path) {
        // libmicrohttpd omits the body of an answer to HEAD.
        case ("GET", "/metrics"), ("HEAD", "/metrics"): await scrapes.next()
        default: Self.response("here is GET /metrics, and nothing else", status: 404)
        }
    }

    private static func response(_ text: String, status: Int) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array("\(text)\n".utf8))
    }
}

/// Counting uses the disk, on which payments wait to be stored. So one answer is made at a time; requests that arrive
/// meanwhile, or within a second after it, get the same answer. A crowd of clients costs no more than one.
actor Scrapes {
    private let metrics: @Sendable () async -> [MetricFamily]
    private let freshness: Duration
    private var making: Task<HTTPResponse, Never>?
    private var last: (response: HTTPResponse, time: ContinuousClock.Instant)?

    init(freshness: Duration = .seconds(1), _ metrics: @escaping @Sendable () async -> [MetricFamily]) {
        self.freshness = freshness
        self.metrics = metrics
    }

    func next() async -> HTTPResponse {
        if let last, .now - last.time < freshness { return last.response }
        if let making { return await making.value }
        let task = Task { [metrics] in HTTPResponse(metrics: await metrics()) }
        making = task
        let response = await task.value
        making = nil
        last = (response, .now)
        return response
    }
}

extension HTTPResponse {
    init(metrics: [MetricFamily]) {
        self.init(
            status: 200, contentType: PrometheusText.contentType, body: Array(PrometheusText.text(metrics).utf8))
    }
}
