import NIOCore
import NIOPosix
import SoundboxSystem

/// Whether anything listens at an address at all: where the way ends is told apart from what the broker says.
enum TCPCheck {
    /// Connects and hangs up. Takes five seconds at most.
    /// - Returns: why it did not come about, or `nil` when it did.
    static func failure(host: String, port: Int) async -> String? {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(5))
        do {
            try await bootstrap.connect(host: host, port: port).get().close()
            return nil
        } catch let error as NIOConnectionError {
            // The resolver has answered before; of several addresses, the first one's trouble is as good as any.
            return reason(error.connectionErrors.first?.error ?? error)
        } catch {
            return reason(error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: SystemError(code: error.errnoCode).description
        case ChannelError.connectTimeout: "no answer within 5 s"
        default: "\(error)"
        }
    }
}
