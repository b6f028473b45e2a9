import SoundboxCore
import SoundboxMQTT
import Synchronization
import TestSupport

/// A box without a voice: the box's own client of the broker, and a memory that outlives its runs.
final class SimulatedBox: PaymentFeedDelegate {
    enum Answer { case announced, nothing, rejected(String) }

    /// The id of each notice that arrives, copies included.
    let arrivals = Journal<String>()
    let connections = Journal<FeedConnection>()
    private let settings: MQTTSettings
    private let state = Mutex(State())
    private let feed = Mutex<MQTTFeed?>(nil)

    private struct State {
        var answer = Answer.announced
        var announced: [String] = []
        var outbox: [OutgoingReceipt] = []
        var lastSequence: Int64 = 0
        var sessionEpoch = 0
        var commands: [String] = []
    }

    init(port: Int, device: String = "box-01") throws {
        var settings = MQTTSettings(
            hosts: [.init("127.0.0.1", port: port)], topics: try Topics(merchant: "M1001", device: device))
        settings.reconnectWindow = .milliseconds(100)
        self.settings = settings
    }

    /// Each id once, in the order in which it was spoken.
    var announced: [String] { state.withLock { $0.announced } }
    var commands: [String] { state.withLock { $0.commands } }

    func answers(_ answer: Answer) { state.withLock { $0.answer = answer } }

    /// Runs the box while `body` runs.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        let feed = try MQTTFeed(settings: settings, offlineStatus: Array(#"{"state":"offline"}"#.utf8)) { _ in }
        self.feed.withLock { $0 = feed }
        async let running: Void = feed.run(delegate: self)
        let result: Result<Value, any Error>
        do {
            try await connections.next { $0 == .subscribed ? () : nil }
            result = .success(try await body())
        } catch { result = .failure(error) }
        feed.stop()
        await running
        return try result.get()
    }

    func commit(_ batch: [FeedMessage]) throws -> Int {
        state.withLock { state in
            for message in batch {
                let text = String(decoding: message.payload, as: UTF8.self)
                guard message.topic == .payments else {
                    state.commands.append(text)
                    continue
                }
                let id = (try? JSONValue(parsing: message.payload))?["id"]?.string ?? text
                arrivals.append(id)
                func answer(_ word: String, _ rest: String = "") {
                    state.lastSequence += 1
                    let receipt = #"{"id":"\#(id)","state":"\#(word)"\#(rest)}"#
                    state.outbox.append(.init(sequence: state.lastSequence, payload: Array(receipt.utf8)))
                }
                switch state.answer {
                case .nothing: break
                case .rejected(let reason): answer("rejected", #","reason":"\#(reason)""#)
                case .announced where state.announced.contains(id): answer("duplicate")
                case .announced:
                    answer("stored")
                    answer("announced", #","how":"aloud""#)
                    state.announced.append(id)
                }
            }
        }
        feed.withLock { $0 }?.receiptsAreWaiting()
        return batch.count
    }

    func receipts(after sequence: Int64, limit: Int) -> [OutgoingReceipt] {
        state.withLock { Array($0.outbox.filter { $0.sequence > sequence }.prefix(limit)) }
    }

    func receiptsDelivered(_ sequences: [Int64]) {
        state.withLock { $0.outbox.removeAll { sequences.contains($0.sequence) } }
    }

    func connectionChanged(to connection: FeedConnection) {
        connections.append(connection)
        guard connection == .subscribed else { return }
        let epoch = state.withLock { $0.sessionEpoch }
        let status =
            #"{"state":"online","session":"new","session_epoch":\#(epoch),"session_since":"2026-11-20T01:00:00.000Z","faults":[]}"#
        feed.withLock { $0 }?.publishStatus(Array(status.utf8))
    }

    func sessionBegan(_ session: FeedSession) {
        if !session.isResumed { state.withLock { $0.sessionEpoch += 1 } }
    }

    func strayed(_ messages: [StrayMessage]) {}
    func skipped(_ topic: FeedMessage.Topic, bytes: Int) {}
    func faultsChanged(to faults: [FeedFault]) {}
}
