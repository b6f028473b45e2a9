import SoundboxCore
import SoundboxStore
import Synchronization
import TestSupport
import Testing

@Suite("The main job, on real parts", .timeLimit(.minutes(10)))
struct MainJobTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A payment that reaches the broker is stored, spoken as the right words, and answered")
    func onePayment() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let receipts = try await trial.publishAndWait([notice("A-1", "123.45")])
            #expect(receipts.map(\.state) == ["stored", "announced"])
            try await box.logged("announcing", "id=A-1", "text=支付宝到账,一百二十三点四五元")
            #expect(try await box.stop() == 0)

            let expected = folder.file("expected.wav")
            let said = try await soundbox(
                "say", "123.45", "--channel", "alipay", "--sounds", Products.sounds, "-o", expected)
            #expect(said.code == 0)
            #expect(try WAV(reading: trial.wav) == WAV(reading: expected))
        }
    }

    @Test("The same payment twice is spoken once, also after a restart, whatever amount the second names")
    func duplicates() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var box = try await trial.startBox()
            _ = try await trial.publishAndWait([notice("A-1", "5")])
            #expect(try await trial.publishAndWait([notice("A-1", "5")]).map(\.state) == ["duplicate"])
            #expect(try await box.stop() == 0)

            box = try await trial.startBox()
            let again = try await trial.publishAndWait([notice("A-1", "6")])
            #expect(again.map(\.state) == ["duplicate"])
            #expect(again.first?.reason?.contains("5 CNY") == true)
            #expect(try await box.stop() == 0)
            // Nothing but that there was one that could not be announced.
            #expect(
                box.errors.entries.allSatisfy {
                    !$0.contains("announcing") || $0.contains("prompt=payment_unreadable")
                })
        }
    }

    @Test("Ten payments at once are spoken one after the other, whole, in order")
    func tenAtOnce() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            let amounts = ["1", "20.5", "300", "4005", "50000", "0.06", "7.77", "88", "999.99", "1000000"]
            let receipts = try await trial.publishAndWait(amounts.map { notice("ten-\($0)", $0) })
            #expect(receipts.filter { $0.state == "announced" }.map(\.id) == amounts.map { "ten-\($0)" })
            #expect(try await box.stop() == 0)

            let sound = try WAV(reading: trial.wav)
            // 0.5 s of silence end every announcement, and no rest inside one is as long as 0.4 s.
            #expect(sound.regions(rest: 0.4).count == amounts.count)
            // To the sample what the ten are one by one: nothing cut, nothing on top of each other.
            var alone: [Int16] = []
            for amount in amounts {
                let file = folder.file("alone.wav")
                _ = try await soundbox(
                    "say", amount, "--channel", "alipay", "--sounds", Products.sounds, "-o", file)
                alone += try WAV(reading: file).samples
            }
            #expect(sound.samples == alone)
        }
    }

    @Test("Killed again and again during a backlog of fifty, the box announces all fifty, in order")
    func killedDuringBacklog() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let ids = (1...50).map { "k-\($0)" }
            let receipts = try trial.collectReceipts(untilAnnounced: ids.count)
            var box = try await trial.startBox()
            async let publication: Void = trial.publish(ids.enumerated().map { notice($1, "\($0 + 1).5") })
            var spoken: [String] = []
            for _ in 1...3 {
                try await box.killed(afterAnnouncing: 12)
                #expect(try await box.exitStatus() == 9)
                let lines = try await box.errors.all()
                spoken += announcementsBegun(in: lines)
                box = try trial.launchBox()
                // On a busy machine it may be done before it is killed, and another twelve would never come.
                guard !lines.contains(where: { $0.contains(" announced id=k-50") }) else { break }
            }
            try await publication
            let all = try await receipts.all()
            #expect(try await box.stop() == 0)
            spoken += box.begunAnnouncements

            // A receipt may come twice after a kill; by its sequence it is then the same one.
            let announced = Dictionary(all.filter { $0.state == "announced" }.map { ($0.sequence, $0.id) }) {
                first, _ in first
            }
            #expect(announced.sorted { $0.key < $1.key }.map(\.value) == ids)
            // Spoken again is at most what was playing, one at each kill.
            var repeated = 0
            for (index, id) in spoken.enumerated() where index > 0 && id == spoken[index - 1] { repeated += 1 }
            #expect(repeated <= 3)
            #expect(spoken.count == ids.count + repeated)
            let counts = try SQLiteInbox(path: trial.inbox).counts()
            #expect(counts.announced == 50)
            #expect(counts.waiting == 0)
        }
    }

    @Test("What was published while the box was off is spoken when it is back")
    func publishedWhileOff() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            var box = try await trial.startBox()
            #expect(try await box.stop() == 0)
            try await trial.publish([notice("off-1", "1"), notice("off-2", "2")])
            let receipts = try trial.collectReceipts(untilAnnounced: 2)
            box = try await trial.startBox()
            #expect(try await receipts.all().filter { $0.state == "announced" }.map(\.id) == ["off-1", "off-2"])
            #expect(try await box.stop() == 0)
        }
    }

    @Test("SIGTERM lets the announcement that is playing finish, and the box exits with 0")
    func terminated() async throws {
        try await withMosquitto(in: folder) { broker in
            // In real time, so that the signal comes in the middle.
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            let receipts = try trial.collectReceipts(untilAnnounced: 1)
            async let publication: Void = trial.publish([notice("T-1", "1"), notice("T-2", "2")])
            try await box.reached("announcing", "T-1") { $0.terminate() }
            #expect(try await box.exitStatus() == 0)
            try await publication
            try await box.hasLogged(" announced id=T-1")
            #expect(try await !announcementsBegun(in: box.errors.all()).contains("T-2"))
            #expect(try await receipts.all().contains { $0.id == "T-1" && $0.state == "announced" })
            #expect(try SQLiteInbox(path: trial.inbox).waiting(limit: 9).map(\.notice.id.text) == ["T-2"])
        }
    }
}

extension ChildProcess {
    /// Kills it where its lines are read: a test that has to wake up first may come too late.
    fileprivate func killed(afterAnnouncing count: Int) async throws {
        let announced = Mutex(0)
        try await errors.next { [self] line -> Void? in
            guard line.contains(" announced ") else { return nil }
            let soFar = announced.withLock { number in
                number += 1
                return number
            }
            guard soFar >= count else { return nil }
            kill9()
            return ()
        }
    }

    fileprivate var begunAnnouncements: [String] { announcementsBegun(in: errors.entries) }
}
