import Foundation
import Glibc
import SoundboxCore
import TestSupport
import Testing

@Suite("The figures of a running box", .timeLimit(.minutes(10)))
struct MetricsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func metrics(of trial: Trial) async throws -> Exposition {
        let result = try await soundbox("metrics", "--config", trial.configurationFile)
        guard result.code == 0 else { throw TestFailure("\(result)") }
        return try Exposition(result.output.map { $0 + "\n" }.joined())
    }

    @Test("They say what became of payments, and that the broker was away and has lost the session")
    func whole() async throws {
        let first = try await MosquittoBroker.start(in: folder)
        let port = try LoopbackSocket.freePort()
        let trial = try Trial(
            folder: folder, broker: first, device: "null", settings: ["metrics: {listen: \"127.0.0.1:\(port)\"}"])
        let box = try await trial.startBox()
        let receipts = try await trial.publishAndWait([
            notice("M-1", "1"), notice("M-2", "2"), notice("M-1", "1"), "no notice",
        ])
        #expect(
            receipts.map(\.state).sorted()
                == ["announced", "announced", "duplicate", "rejected", "stored", "stored"])
        var read = try await metrics(of: trial)
        func payments(_ state: String) -> Double? { read["soundbox_payments_total{state=\"\(state)\"}"] }
        #expect(payments("stored") == 2 && payments("announced") == 2)
        #expect(payments("duplicate") == 1 && payments("rejected") == 1)
        #expect(payments("expired") == 0 && payments("cancelled") == 0)
        #expect(read["soundbox_payment_first_frame_seconds_count"] == 2)
        // The second one was spoken after the first.
        #expect(try #require(read[#"soundbox_payment_first_frame_seconds_bucket{le="0.001"}"#]) < 2)
        #expect(read["soundbox_payments_waiting"] == 0 && read["soundbox_online"] == 1)
        #expect(read["soundbox_broker_reconnects_total"] == 0 && read["soundbox_sessions_lost_total"] == 0)
        #expect(read["soundbox_xruns_total"] == 0 && read["soundbox_volume_ratio"] == 1)
        #expect(read["soundbox_build_info{version=\"\(SoundboxVersion.current)\"}"] == 1)
        #expect(try #require(read["soundbox_state_directory_free_bytes"]) > 0)
        #expect(read[#"soundbox_fault{kind="session"}"#] == 0 && read[#"soundbox_fault{kind="audio"}"#] == 0)
        #expect(read.families.allSatisfy { $0.key.hasPrefix("soundbox_") && $0.value.help != nil })

        // The broker keeps nothing on its disk.
        try await first.kill()
        let second = try await MosquittoBroker.start(in: folder, port: first.port)
        try await box.logged(" info online")
        read = try await metrics(of: trial)
        #expect(read["soundbox_broker_reconnects_total"] == 1 && read["soundbox_sessions_lost_total"] == 1)
        #expect(read[#"soundbox_fault{kind="session"}"#] == 1)
        #expect(payments("stored") == 2)

        // By TCP the same, and the text names nobody.
        let curl = try ChildProcess(["curl", "--silent", "--fail", "http://127.0.0.1:\(port)/metrics"])
        let text = try await curl.output.all().map { $0 + "\n" }.joined()
        #expect(try Exposition(text)["soundbox_sessions_lost_total"] == 1)
        #expect(!text.contains("M1001") && !text.contains("box-01") && !text.contains("M-1"))
        let foreign = try ChildProcess(["curl", "--silent", "--fail", "http://127.0.0.1:\(port)/status"])
        #expect(try await foreign.exitStatus() >> 8 == 22)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(box.id)/task").compactMap { task in
            try? String(contentsOfFile: "/proc/\(box.id)/task/\(task)/comm", encoding: .utf8)
        }
        #expect(threads.contains("metrics\n"))
        #expect(try await box.stop() == 0)
        try await second.stop()
    }

    @Test("Without a word about metrics no port is open")
    func closed() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            // The box is in the network of this process, so its sockets are those whose number is among its descriptors.
            let inodes = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(box.id)/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(box.id)/fd/\($0)")
            }
            for table in ["tcp", "tcp6"] {
                let rows = (try? String(contentsOfFile: "/proc/net/\(table)", encoding: .utf8)) ?? ""
                for row in rows.split(separator: "\n").dropFirst() {
                    let columns = row.split(separator: " ")
                    // 0A: it listens (proc_net_tcp).
                    guard columns.count > 9, columns[3] == "0A" else { continue }
                    #expect(!inodes.contains("socket:[\(columns[9])]"), "\(row)")
                }
            }
            #expect(try await metrics(of: trial)["soundbox_online"] == 1)
            #expect(try await box.stop() == 0)
        }
    }
}
