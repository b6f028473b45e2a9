import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Asks the box, a few questions at a time, whatever the phones do: the control socket has eight connections, and
/// whoever takes more of them cuts his own questions off.
actor BoxLink {
    typealias Answer = (status: Int, json: JSONValue)

    /// A question for events waits for seconds, so those have places of their own.
    private enum Line {
        case events
        case others
    }

    private let client: ControlClient
    private let timeout: Duration
    private let timeoutForChanges: Duration
    private var free: [Line: Int] = [.events: 3, .others: 4]
    /// First come, first served.
    private var waiting: [Line: [CheckedContinuation<Void, Never>]] = [:]
    private var asking: [Int: Task<Result<Answer, ControlError>, Never>] = [:]

    /// - Parameters:
    ///   - timeout: how long a question may wait for its turn; a phone has given up by then.
    ///   - timeoutForChanges: the same for a change. Together with the time that the box takes it must not outlast the
    ///     phone, which then believes that nothing was changed.
    init(
        _ client: ControlClient, timeout: Duration = .seconds(15), timeoutForChanges: Duration = .seconds(4)
    ) {
        self.client = client
        self.timeout = timeout
        self.timeoutForChanges = timeoutForChanges
    }

    /// One question as it is, behind those that came before.
    /// - Throws: also when that took too long: nothing is changed once nobody waits for it.
    func exchange(
        _ method: String, _ path: String, _ parameters: [(name: String, value: String)] = [], body: JSONValue? = nil
    ) async throws(ControlError) -> Answer {
        let asked = Duration.monotonicNow
        await take(.others)
        defer { giveBack(.others) }
        guard .monotonicNow - asked < (method == "GET" ? timeout : timeoutForChanges) else {
            throw ControlError(reason: "the box has too much to answer")
        }
        return try await client.exchange(method, path, parameters, body: body)
    }

    /// What has changed since `version`, as the box answers it; asked once for all phones that want to know the same.
    func events(after version: Int) async throws(ControlError) -> Answer {
        if let task = asking[version] { return try await task.value.get() }
        let task = Task {
            await take(.events)
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

    private func take(_ line: Line) async {
        if let count = free[line], count > 0 {
            free[line] = count - 1
        } else {
            await withCheckedContinuation { waiting[line, default: []].append($0) }
        }
    }

    /// The place goes to whoever waits for one.
    private func giveBack(_ line: Line) {
        if waiting[line]?.isEmpty == false {
            waiting[line]?.removeFirst().resume()
        } else {
            free[line, default: 0] += 1
        }
    }
}
