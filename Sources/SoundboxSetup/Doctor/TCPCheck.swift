import NIOCore
import NIOPosix
import SoundboxSystem

/// Finds out whether anything listens at an address, before the broker is asked anything.
enum TCPCheck {
    /// The most that a broker may take to answer.
    static let limit = TimeAmount.seconds(5)

    /// Connects and hangs up. Takes ``limit`` at most.
    /// - Returns: why there is no connection; `nil` when there is one.
    static func failure(host: String, port: Int) async -> String? {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(limit)
        do {
            try await bootstrap.connect(host: host, port: port).get().close()
            return nil
        } catch let error as NIOConnectionError {
            // The resolver has answered before. Of several addresses, the first one's failure is as good as any.
            return reason(error.connectionErrors.first?.error ?? error)
        } catch {
            return reason(error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: SystemError(code: error.errnoCode).description
        case ChannelError.connectTimeout: "no answer within \(limit.nanoseconds / 1_000_000_000) s"
        default: "\(error)"
        }
    }
}
