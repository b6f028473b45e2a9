import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Sends requests to the box, a few at a time. The control socket has eight connections; a client that opens more cuts
/// off its own requests.
actor BoxLink {
    typealias Answer = (status: Int, json: JSONValue)

    /// A request for events waits for seconds, so these have their own places.
    private enum Line {
        case events
        case others
    }

    private let client: ControlClient
    private let timeout: Duration
    private let timeoutForChanges: Duration
    private var free: [Line: Int] = [.events: 3, .others: 4]
    /// In order of arrival.
    private var waiting: [Line: [CheckedContinuation<Void, Never>]] = [:]
    private var asking: [Int: Task<Result<Answer, ControlError>, Never>] = [:]

    /// - Parameters:
    ///   - timeout: how long a request may wait for its turn; a phone has given up by then.
    ///   - timeoutForChanges: the same for a change. With the time of the box itself, it must not exceed the timeout of
    ///     the phone, which would then believe that nothing was changed.
    init(
        _ client: ControlClient, timeout: Duration = .seconds(15), timeoutForChanges: Duration = .seconds(4)
    ) {
        self.client = client
        self.timeout = timeout
        self.timeoutForChanges = timeoutForChanges
    }

    /// Sends one request, after those before it.
    /// - Throws: also if its turn came too late: a change must not happen after the phone has given up.
    func exchange(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)] = [], body: JSONValue? = nil
    ) async throws(ControlError) -> Answer {
        let asked = Duration.monotonicNow
        await handle(.others)
        defer { giveBack(.others) }
        guard .monotonicNow - asked < (method == "GET" ? timeout : timeoutForChanges) else {
            throw ControlError(reason: "the box has too much to answer")
        }
        return try await client.exchange(method, path, parameters, body: body)
    }

    /// The box's events since `version`. One request serves all phones that ask for the same version.
    func events(after version: Int) async throws(ControlError) -> Answer {
        if let task = asking[version] { return try await task.value.get() }
        let task = Task {
            await handle(.events)
            defer { giveBack(.events) }
            do throws(ControlError) {
                return Result<Answer, ControlError>.success(
                    try await client.exchange("GET", "events", [("after", "\(version)")]))
            } catch {
                return .failure(error)
            }
        }
        asking[version] = task
        let result = await task.value
        asking[version] = nil
        return try result.get()
    }

    private func handle(_ line: Line) async {
        if let count = free[line], count > 0 {
            free[line] = count - 1
        } else {
            await withCheckedContinuation { waiting[line, default: []].append($0) }
        }
    }

    /// Passes the place to the next waiting request.
    private func giveBack(_ line: Line) {
        if waiting[line]?.isEmpty == false {
            waiting[line]?.removeFirst().resume()
        } else {
            free[line, default: 0] += 1
        }
    }
}
