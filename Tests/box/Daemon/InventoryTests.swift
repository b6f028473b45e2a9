import Logging
import ServiceLifecycle
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox

/// `Inventory.txt` is changed by hand, with the change that it is about: a line that moves there moves for the shop.
@Suite("What a box is made of, in this order", .timeLimit(.minutes(10)))
struct InventoryTests {
    private struct Server: Service {
        func run() async throws {}
    }

    /// A box with every feature that a configuration can turn on.
    private static func lines() async throws -> [String] {
        var box = BoxContext.onFakes(
            feed: FakeFeed(), inbox: TemporaryInbox(),
            voices: Voices(first: try Voice.shipped()),
            output: SoundThread { _ in RecordingSink() })
        let folder = try TemporaryFolder()
        (box.stateDirectory, box.thermalFolder) = (folder.path, folder.path)
        box.settings.day.announceAt = 1320
        box.remoteSettings = NoSettings()
        box.certificate = NoCertificate()
        box.connection = ConnectionKeeper(
            store: .none, boot: "1", chosen: .auto, state: box.state, logger: box.logger)
        let metrics = Mutexed<(@Sendable () async -> [MetricFamily])?>(nil)
        box.serve = {
            metrics.value = $1
            return [Server()]
        }
        let services = Box(box).services
        let routes = box.features.all.flatMap(\.routes)
        let families = await metrics.value?() ?? []
        var lines = ["services, from the first that starts to the first that stops:"]
        lines += services.map { "  \(type(of: $0))" }
        lines += ["routes:"] + routes.map { "  \($0)\($0.isForPhones ? ", for phones" : "")" }
        lines += ["metrics:"] + families.map { "  \($0.name) \($0.kind)" }
        return lines + ["status:"] + (try status()).map { "  \($0.name)" }
    }

    /// Everything that a status can have.
    private static func status() throws -> [(name: String, value: JSONValue)] {
        let text = #"""
            {"state":"online","connection":"online","at":"2026-01-01T00:00:00Z","merchant":"M1","device":"box","broker":"b",
            "session":"new","session_epoch":1,"session_since":"2026-01-01T00:00:00Z","version":"1","voice":"zh-CN",
            "audio":"default","volume":1,"muted":true,"quiet_volume":1,"shop_quiet_hours":null,"announcing":true,"xruns":1,
            "clock":"synchronised","uptime_s":1,"queued":1,"announced":1,"receipts_waiting":1,
            "settings":{"id":"s","at":"2026-01-01T00:00:00Z","result":"applied"},"configuration":{},
            "certificate":{"not_after":"2026-01-01T00:00:00Z"},
            "notices_refused":{"count":1,"last":{"reason":"r","at":"2026-01-01T00:00:00Z"}},"faults":[],"warnings":[]}
            """#
        let status = try #require(BoxStatus(decoding: try JSONValue(parsing: Array(text.utf8))))
        guard case .object(let members) = status.json else { throw TestFailure("no object") }
        return members
    }

    @Test("Services in the order of their start, routes, metrics and fields of the status are those of Inventory.txt")
    func inventory() async throws {
        let file = #filePath.replacing("InventoryTests.swift", with: "Inventory.txt")
        let written = try SmallFile.read(file).split(separator: "\n").map(String.init)
        let found = try await Self.lines()
        #expect(found == written, "\(found.joined(separator: "\n"))")
    }
}
