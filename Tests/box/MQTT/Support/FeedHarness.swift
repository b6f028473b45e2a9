import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport

/// Settings of the test box, for a broker on 127.0.0.1.
func boxSettings(port: Int, change: (inout MQTTSettings) -> Void = { _ in }) throws -> MQTTSettings {
    var settings = MQTTSettings(
        hosts: [.init("127.0.0.1", port: port)],
        topics: try Topics(merchant: "M1001", device: "box-01"))
    settings.reconnectWindow = .milliseconds(200)
    change(&settings)
    return settings
}

let offlineStatus = #"{"state":"offline"}"#
let paymentsTopic = "soundbox/v1/M1001/box-01/payments"
let commandsTopic = "soundbox/v1/M1001/box-01/commands"
let receiptsTopic = "soundbox/v1/M1001/box-01/receipts"
let probeTopic = "soundbox/v1/M1001/box-01/probe"
let statusTopic = "soundbox/v1/M1001/box-01/status"

/// Runs a feed while `body` runs, then stops it and waits for its end.
///
/// - Parameter log: takes the feed's log lines.
func withFeed(
    _ settings: MQTTSettings, delegate: RecordingDelegate, log: Journal<String> = Journal(),
    _ body: (MQTTFeed) async throws -> Void
) async throws {
    let feed = try MQTTFeed(settings: settings, offlineStatus: Array(offlineStatus.utf8)) { log.append($0) }
    async let run: Void = feed.run(delegate: delegate)
    do {
        try await body(feed)
    } catch {
        feed.stop()
        await run
        throw error
    }
    feed.stop()
    await run
}

/// Runs a feed against a fake broker while `body` runs. The broker vanishes at the end, so that stopping the feed takes
/// no time.
///
/// The feed waits for minutes before it gives an answer up, unless `change` says less: the test that is to answer may
/// wait for long before a busy machine runs it again.
func withFakeBroker(
    delegate: RecordingDelegate, log: Journal<String> = Journal(), script: FakeBroker.Script? = nil,
    settings change: (inout MQTTSettings) -> Void = { _ in },
    _ body: (FakeBroker, MQTTFeed) async throws -> Void
) async throws {
    let broker = try FakeBroker(script: script)
    defer { broker.shutDown() }
    let settings = try boxSettings(port: broker.port) {
        $0.handshakeLimit = .seconds(300)
        $0.keepAlive = .seconds(300)
        change(&$0)
    }
    try await withFeed(settings, delegate: delegate, log: log) { feed in
        defer {
            feed.stop()
            broker.shutDown()
        }
        try await body(broker, feed)
    }
}

extension FeedMessage {
    var text: String { String(decoding: payload, as: UTF8.self) }
}
