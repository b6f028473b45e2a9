import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("What fails for a while costs words and never a payment", .timeLimit(.minutes(10)))
struct PassingFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A voice folder that is moved away and back: payments are told without amount, then with it again")
    func voiceFolder() async throws {
        let sounds = folder.file("sounds")
        try await ChildProcess.run("cp", "-r", Products.sounds, sounds)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, sounds: sounds)
            let box = try await trial.startBox()
            try await ChildProcess.run("mv", sounds, folder.file("away"))
            let without = try await trial.publishAndWait([notice("V-1", "123.45"), notice("V-2", "7")])
            #expect(without.count { $0.state == "announced" } == 2)
            try await box.logged("error recordings left out for now", "No such file or directory")
            #expect(try await trial.faults().contains { $0.contains("No such file or directory") })

            try await ChildProcess.run("mv", folder.file("away"), sounds)
            try await box.logged("every recording can be had again")
            #expect(try await trial.faults() == [])
            _ = try await trial.publishAndWait([notice("V-3", "123.45")])
            try await box.logged("announcing", "text=支付宝到账,一百二十三点四五元")
            #expect(try await box.stop() == 0)
            #expect(box.errors.entries.count { $0.contains(" announcing ") && $0.contains("text=到账一笔") } == 2)
            // Once, and not with every attempt.
            #expect(box.errors.entries.count { $0.contains("recordings left out for now") } == 1)

            // What was heard: two fallbacks and one payment, whole.
            var expected: [Int16] = []
            for file in ["expected.wav"] {
                _ = try await soundbox(
                    "say", "123.45", "--channel", "alipay", "--sounds", sounds, "-o", folder.file(file))
                expected += try WAV(reading: folder.file(file)).samples
            }
            let heard = try WAV(reading: trial.wav).samples
            #expect(heard.suffix(expected.count).elementsEqual(expected))
            #expect(try WAV(reading: trial.wav).regions(rest: 0.4).count == 3)
        }
    }

    @Test(
        "A time zone that the machine does not have costs the day's totals until it is there, with a warning, and no payment"
    )
    func timeZone() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, settings: ["day: {time_zone: Asia/Atlantis, cut_over: \"04:00\"}"])
            let database = folder.file("zoneinfo")
            let box = try await trial.startBox(environment: ["TZDIR": database, "TZ": "America/New_York"])
            let receipts = try await trial.publishAndWait([notice("Z-1", "123.45")])
            #expect(receipts.last?.state == "announced")
            try await box.logged("announcing", "id=Z-1", "text=支付宝到账,一百二十三点四五元")
            let status = try await soundbox("status", "--config", trial.configurationFile)
            #expect(status.output.joined().contains("day.time_zone: the time zone \"Asia/Atlantis\" cannot be used"))
            let totals = try await soundbox("totals", "--config", trial.configurationFile)
            #expect(totals.code != 0 && totals.errors.joined().contains("day.time_zone"), "\(totals)")

            try FileManager.default.createDirectory(atPath: "\(database)/Asia", withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: "/usr/share/zoneinfo/Europe/Berlin", toPath: "\(database)/Asia/Atlantis")
            let day = try await soundbox("totals", "--day", "2026-03-28", "--json", "--config", trial.configurationFile)
            let json = try JSONValue(parsing: Array(day.output.joined().utf8))
            #expect(json["from"]?.string == "2026-03-28T04:00:00.000+01:00", "\(day)")
            #expect(json["to"]?.string == "2026-03-29T04:00:00.000+02:00", "\(day)")
            #expect(try await trial.faults().isEmpty)
            #expect(try await box.stop() == 0)
        }
    }

    /// A busy libdispatch looks at its threads once a second, and ends a process that has no descriptor left to look
    /// with. A service manager starts that one again, and its payments are told then.
    @Test("Without a descriptor left the box speaks the fallback; with some again it has words, broker and socket back")
    func descriptors() async throws {
        for attempt in 1...5 {
            let folder = try TemporaryFolder()
            var broker: MosquittoBroker? = try await .start(in: folder)
            let port = try #require(broker?.port)
            let trial = try Trial(folder: folder, broker: try #require(broker))
            let box = try await trial.startBox()
            do { return try await goThroughWithoutDescriptors(box, trial, in: folder, &broker) } catch {
                try? await broker?.stop()
                guard let status = box.statusAtEnd, [SIGILL, SIGTRAP].contains(status & 0x7f), attempt < 5 else {
                    throw error
                }
            }
            try await withMosquitto(port: port, in: folder) { _ in
                let next = try await trial.startBox()
                // Of the first one there may be two, since it may be known already.
                let told = try await trial.publishAndWait([notice("D-1", "123.45"), notice("D-3", "1")]) { receipts in
                    Set(receipts.filter { $0.state != "stored" }.map(\.id)).isSuperset(of: ["D-1", "D-3"])
                }
                #expect(told.contains { $0.id == "D-3" && $0.state == "announced" }, "\(told)")
                #expect(try await next.stop() == 0)
            }
        }
    }

    private func goThroughWithoutDescriptors(
        _ box: ChildProcess, _ trial: Trial, in folder: TemporaryFolder, _ broker: inout MosquittoBroker?
    ) async throws {
        let port = try #require(broker?.port)
        // Those that are open stay; any further one is refused with EMFILE. One that was open for a moment only is free
        // again behind the limit, and the box reads its recordings with that: it is taken too, and another payment asks.
        var told = ""
        for (number, amount) in ["123.45", "678.9", "200.11", "516.77", "89.04"].enumerated() {
            try await takeDescriptors(of: box)
            let id = "D-1\(number == 0 ? "" : "-\(number)")"
            #expect(try await trial.publishAndWait([notice(id, amount)]).last?.state == "announced")
            told = try await box.logged("announcing", "id=\(id) ")
            guard !told.contains("text=到账一笔") else { break }
        }
        #expect(told.contains("text=到账一笔"))
        try await box.hasLogged("error recordings left out for now", "Too many open files")

        // Its connection is lost meanwhile, and its place is taken.
        let held = try UnixConnection(to: folder.file("control.sock"))
        try await broker.take()?.kill()
        try await box.logged("warning offline")
        // The connection that is gone has left its descriptor.
        try await takeDescriptors(of: box)
        broker = try await .start(in: folder, port: port)
        try await ChildProcess.run("prlimit", "--pid", "\(box.id)", "--nofile=1024:")
        try await box.logged(" info online")
        _ = try await trial.publishAndWait([notice("D-2", "123.45")])
        try await box.logged("announcing", "id=D-2", "text=支付宝到账,一百二十三点四五元")
        // The broker that came back is a new one, and has lost the session.
        // Whoever asks meanwhile may be told that the box does not answer.
        while await (try? trial.faults())?.contains(where: { !$0.hasPrefix("the broker has lost") }) ?? true {
            try await Task.sleep(for: .milliseconds(100))
        }
        withExtendedLifetime(held) {}
        #expect(try await box.stop() == 0)
        try await broker.take()?.stop()
    }

    /// The limit is on the number of a descriptor, not on how many there are: see setrlimit(2).
    private func takeDescriptors(of box: ChildProcess) async throws {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(box.id)/fd").compactMap(Int.init)
        let lowest = (0...).first { !open.contains($0) } ?? 0
        try await ChildProcess.run("prlimit", "--pid", "\(box.id)", "--nofile=\(lowest):")
    }
}
