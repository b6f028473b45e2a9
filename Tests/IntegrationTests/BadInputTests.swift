import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("Bad input is refused by name, loses nothing, and the box goes on", .timeLimit(.minutes(10)))
struct BadInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Each with the field that the rejection must name.
    private static let rejected: [(payload: String, field: String)] = [
        ("{", "payload"),
        ("", "payload"),
        ("[]", "payload"),
        (#"{"id":"b-1","amount":true}"#, "amount"),
        (#"{"id":"b-2","amount":"-5"}"#, "amount"),
        (#"{"id":"b-3","amount":"0"}"#, "amount"),
        (#"{"id":"b-4","amount":"NaN"}"#, "amount"),
        (#"{"id":"b-5","amount":1e400}"#, "amount"),
        (#"{"id":"b-6","amount":"0.12345678901234567890"}"#, "amount"),
        (#"{"id":"\#(String(repeating: "x", count: 300))","amount":"1"}"#, "id"),
        (#"{"amount":"1"}"#, "id"),
        (#"{"id":7,"amount":"1"}"#, "id"),
        (#"{"id":"b-7","amount":"1","currency":"XYZ"}"#, "currency"),
        (#"{"id":"b-9","amount":"1","amount_minor":100}"#, "amount"),
        (#"{"id":"b-10","amount":"1","amount":"2"}"#, "payload"),
        (#"{"id":"b-11"}"#, "amount"),
        (#"{"id":"big","amount":"1","text":"\#(String(repeating: "x", count: 900_000))"}"#, "payload"),
    ]

    @Test("Every malformed message gets a rejection that names its field; the next payment is spoken")
    func malformed() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let receipts = try await trial.publishAndWait(Self.rejected.map(\.payload))
            #expect(receipts.map(\.state) == Self.rejected.map { _ in "rejected" })
            for (receipt, sent) in zip(receipts, Self.rejected) {
                #expect(
                    receipt.reason?.hasPrefix("\(sent.field): ") == true, "\(receipt) for \(sent.payload.prefix(60))")
            }
            let good = try await trial.publishAndWait([notice("good", "1")])
            #expect(good.last?.state == "announced")
            #expect(try await box.stop() == 0)
            #expect(box.errors.entries.count { $0.contains(" rejected ") } == Self.rejected.count)
        }
    }

    @Test(
        "Notices that are not announced for what they say are said once, in status, doctor and history, and no others")
    func refusedIsTold() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([
                #"{"id":"thousands","amount":"1,500.00"}"#, #"{"id":"rmb","amount":"5.00","currency":"RMB"}"#,
                notice("order-1", "12.00"), notice("order-1", "12.00"), notice("order-1", "30.00"),
            ])
            try await box.logged("announcing", "prompt=payment_unreadable")
            #expect(box.errors.entries.count { $0.contains("prompt=payment_unreadable") } == 1)

            let json = try await soundbox("status", "--json", "--config", trial.configurationFile)
            let status = try #require(BoxStatus(decoding: JSONValue(parsing: Array(json.output.joined().utf8))))
            #expect(status.noticesRefused?.count == 3)
            #expect(status.noticesRefused?.last.id?.text == "order-1")
            let warning = try #require(status.warnings?.first)
            #expect(
                warning == "3 notices of the last 24 hours were not announced; the last: order-1: the id is known with "
                    + "another amount: 12 CNY")
            #expect(status.faults == [])
            let listing = try await soundbox("status", "--config", trial.configurationFile)
            #expect(
                listing.output.contains { $0.hasPrefix("notices refused:") && $0.contains("order-1") }, "\(listing)")
            let history = try await soundbox("history", "--config", trial.configurationFile)
            #expect(history.code == 0 && history.output.last == warning, "\(history)")
            let csv = try await soundbox("history", "--format", "csv", "--config", trial.configurationFile)
            #expect(csv.code == 0 && csv.output.count == 2, "\(csv)")
            let doctor = try await soundbox("doctor", "--config", trial.configurationFile)
            #expect(doctor.output.contains { $0.hasPrefix("look running box") && $0.contains(warning) }, "\(doctor)")
            #expect(try await box.stop() == 0)
        }
    }

    /// In bytes: the most that a process has had in memory at once (proc(5), VmHWM).
    private func peakMemory(of box: ChildProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(box.id)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) * 1024
    }

    @Test("A message of 100 MB is dropped by the broker, one of 900 KB is told; the payment behind them is spoken")
    func tooLarge() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            // The broker keeps for it what comes while it is away.
            #expect(try await trial.startBox().stop() == 0)
            try folder.write([UInt8](repeating: 0x78, count: 100_000_000), to: "large")
            try await ChildProcess.run(
                "mosquitto_pub", "-p", "\(broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-01/payments", "-f",
                folder.file("large"))
            try await trial.publish([String(repeating: "x", count: 900_000), notice("good", "1")])

            let receipts = try trial.collectReceipts(untilAnnounced: 1)
            let box = try trial.launchBox()
            let states = try await receipts.all()
            #expect(states.map(\.state).sorted() == ["announced", "rejected", "stored"])
            #expect(states.contains { $0.reason == "payload: 900000 bytes long, at most 65536 are allowed" })
            #expect(try peakMemory(of: box) < 90_000_000)
            #expect(try await box.stop() == 0)
        }
    }

    @Test("Unknown fields are ignored")
    func unknownFields() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let receipts = try await trial.publishAndWait([#"{"id":"u","amount":1,"shop":{"name":"店"},"tags":[]}"#])
            #expect(receipts.map(\.state) == ["stored", "announced"])
            #expect(try await box.stop() == 0)
        }
    }

    @Test("A wrong key in the configuration is told with file, line and the nearest right one")
    func wrongKey() async throws {
        let socket = folder.file("control.sock")
        let file = try folder.write(
            "merchant_id: M\ndevice_id: d\nbroker: {urll: \"mqtt://x\"}\naudio: {device: \"null\"}\n"
                + "control_socket: \"\(socket)\"\n", to: "wrong.yaml")
        let box = try ChildProcess([Products.soundbox, "run", "--config", file])
        try await box.logged("\(file):3: broker.urll: unknown key; did you mean ", "url")
        #expect(try await box.stop() == 0)
    }

    @Test("A recording that is missing is found without being asked for, and payments are announced without it")
    func missingRecording() async throws {
        let sounds = folder.file("sounds")
        try await ChildProcess.run("cp", "-r", Products.sounds, sounds)
        try await ChildProcess.run("rm", "\(sounds)/zh-CN/er4-shi2-san1.opus")
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, sounds: sounds)
            let box = try await trial.startBox()
            try await box.hasLogged("error recordings left out for now", "er4-shi2-san1.opus")
            let receipts = try await trial.publishAndWait([notice("A-1", "123.45")])
            #expect(receipts.last?.state == "announced")
            try await box.logged("announcing", "text=支付宝到账,一百二十三点四五元")
            #expect(try await box.stop() == 0)
        }
    }

    @Test("Two boxes on one state directory: the second says so and ends")
    func secondBox() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let second = try await soundbox("run", "--config", trial.configurationFile)
            #expect(second.code == 1)
            #expect(second.errors.last?.contains("another soundbox is running") == true)
            #expect(try await box.stop() == 0)
        }
    }
}
