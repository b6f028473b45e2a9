import SoundboxControl
import SoundboxCore

/// Whether the box itself may be connected to its broker. A broker accepts one connection per client id.
public enum BoxPresence: Sendable, Equatable {
    case running
    /// No box runs, or it is not in service.
    case away
    case unknown

    /// - Parameter answer: the answer of the box's control socket.
    init(_ answer: Result<BoxStatus, ControlError>) {
        self =
            switch answer {
            // A box that is not in service has no broker.
            case .success(let status): status.broker == nil ? .away : .running
            case .failure(let error): error.meansNoBox ? .away : .unknown
            }
    }

    /// Asks the control socket.
    static func ask(socketPath: String) async -> BoxPresence {
        do { return BoxPresence(.success(try await ControlClient(socketPath: socketPath).status())) } catch {
            return BoxPresence(.failure(error))
        }
    }
}
