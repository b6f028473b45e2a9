import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import TestSupport
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

/// A whole box on fakes that does not run: what it says of itself, what it answers on its control socket, and what its
/// announcer was asked for.
struct IdleBox {
    let state: BoxState
    let routes: [ControlRoute]
    let reporter: StatusReporter
    let requests: AnnouncerRequests
    let commands: ControlRequestHandler

    /// - Parameter set: changes what else is to be otherwise.
    init(
        inbox: TemporaryInbox = TemporaryInbox(), feed: any PaymentFeed = FakeFeed(),
        clock: BoxClock = TestMachine(isSynchronised: true).clock(), _ set: (inout BoxContext) -> Void = { _ in }
    ) throws {
        var box = BoxContext.onFakes(
            feed: feed, inbox: inbox, voices: Voices(first: try Voice.shipped()), volume: Volume(80),
            output: SoundThread { _ in RecordingSink() })
        box.clock = clock
        set(&box)
        state = box.state
        requests = box.requests
        _ = Box(box)
        routes = box.features.all.flatMap(\.routes)
        let features = box.features.all
        guard let reporter = features.lazy.compactMap({ $0 as? StatusReporter }).first,
            let commands = features.lazy.compactMap({ $0 as? ControlRequestHandler }).first
        else { throw TestFailure("a box without a status") }
        (self.reporter, self.commands) = (reporter, commands)
    }

    /// - Parameter route: `POST /replay?x=y`
    func ask(_ route: String, _ body: String = "") async throws -> JSONValue {
        let parts = route.split(separator: "?")
        let pairs = parts.dropFirst().map { $0.split(separator: "=").map(String.init) }
        guard let found = routes.first(where: { "\($0)" == parts[0] }),
            case .json(let json) = try await found.answer(
                ControlRequest(query: pairs.map { ($0[0], $0[1]) }, body: Array(body.utf8)))
        else { throw TestFailure("no JSON is answered: \(route)") }
        return json
    }

    /// - Returns: why it is refused; `nil` where the body is no JSON or says something that is none.
    func refusal(_ route: String, _ body: String = "") async throws -> ControlRefusal.Cause? {
        do { _ = try await ask(route, body) } catch let refusal as ControlRefusal { return refusal.cause } catch {
            return error is TestFailure ? nil : .invalid
        }
        return nil
    }
}
