import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxStore
import TestSupport
import Testing

@Suite("What the box has received, at the command line", .timeLimit(.minutes(10)))
struct HistoryCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The list and the sums of a running box are exact, refunds apart; without a box they say so")
    func history() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([
                notice("A", "0.10"), notice("B", "0.20", channel: "wechat"),
                #"{"id":"C","amount":"0.05","kind":"refund"}"#, notice("D", "100000.05"),
            ])
            func run(_ arguments: String...) async throws -> CommandResult {
                try await result(
                    of: [Products.soundbox] + arguments + ["--config", trial.configurationFile], environment: [:],
                    input: "")
            }

            let list = try await run("history", "--format", "csv", "--kind", "payment")
            #expect(list.code == 0 && list.output.count == 4, "\(list)")
            let rows = list.output.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            #expect(rows.map { $0[1] } == ["D", "B", "A"])
            #expect(rows.map { $0[3] } == ["100000.05", "0.2", "0.1"])
            #expect(rows.allSatisfy { $0[9] == "announced" })
            let found = try await run("history", "--format", "csv", "--amount", "0.20", "--id-ends", "B")
            #expect(found.output.count == 2 && found.output.last?.contains(",B,") == true, "\(found)")
            #expect(try await run("history", "--format", "csv", "--amount", "0.2", "--id-ends", "A").output.count == 1)
            let refused = try await run("history", "--id-ends", "")
            #expect(refused.code == 64 && refused.errors.joined().contains("--id-ends: expected"), "\(refused)")
            #expect(try await run("history", "--limit", "1", "--format", "csv").output.count == 2)

            let totals = try await run("totals", "--from", "7d", "--json")
            let json = try JSONValue(parsing: Array(totals.output.joined().utf8))
            guard case .array(let currencies)? = json["currencies"], let money = currencies.first else {
                throw TestFailure("no sums in \(totals)")
            }
            #expect(money["payments"]?.integer == 3 && money["gross"]?.string == "100000.35")
            #expect(money["refunds"]?.integer == 1 && money["refunded"]?.string == "0.05")
            #expect(money["net"]?.string == "100000.3")
            #expect(json["complete"]?.bool == true)
            let sums = try await run("totals", "--from", "7d", "--format", "csv")
            #expect(sums.output.contains { $0.hasPrefix("channel,wechat,CNY,1,0.2,0,0,0.2") }, "\(sums)")

            let chart = try await run("totals", "--from", "1d", "--chart")
            #expect(chart.code == 0 && chart.output.allSatisfy { $0.columns <= 80 }, "\(chart)")
            #expect(chart.output.contains { $0.contains(" 3  100000.35  ███") }, "\(chart)")
            #expect(chart.output.last?.hasSuffix("100000.35        1      0.05  100000.3") == true, "\(chart)")
            let empty = try await run("totals", "--day", "yesterday", "--chart")
            #expect(empty.code == 0 && empty.output.last == "no payments", "\(empty)")
            for format in [["--json"], ["--format", "csv"], ["--format", "json"]] {
                let refused = try await result(
                    of: [Products.soundbox, "totals", "--chart"] + format, environment: [:], input: "")
                #expect(refused.code == 64 && refused.errors.joined().contains("--chart"), "\(refused)")
            }

            let wrong = try await run("totals", "--day", "2026-13-40")
            #expect(wrong.code == 64 && wrong.errors.joined().contains(#"found "2026-13-40""#), "\(wrong)")
            #expect(try await box.stop() == 0)
            let away = try await run("totals")
            #expect(away.code != 0 && away.output.isEmpty && !away.errors.isEmpty, "\(away)")
        }
    }

    @Test("After the clock was set back by a day the total says what it may lack, and the command fails")
    func clockSetBack() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            // As a box has left it that was in service before.
            _ = try StateDirectory(path: folder.file("state")).claim(for: "M1001")
            do {
                let inbox = try SQLiteInbox(path: trial.inbox)
                let tomorrow = Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 + 86_400_000)
                let notices = try ["A", "B"].map { PaymentNotice(id: try PaymentID($0), money: try Money("10", .CNY)) }
                _ = try inbox.store(notices.map { .notice($0) }, at: tomorrow, clock: .unconfirmed)
                for entry in try inbox.waiting(limit: 9) { try inbox.markAnnounced(entry, as: .aloud, at: tomorrow) }
            }
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([notice("C", "0.10")])
            for format in [[], ["--json"], ["--format", "csv"], ["--chart"]] {
                let totals = try await result(
                    of: [Products.soundbox, "totals", "--config", trial.configurationFile] + format, environment: [:],
                    input: "")
                #expect(totals.code == 1 && totals.output.joined().contains("0.1"), "\(totals)")
                #expect(
                    totals.errors.filter { !$0.isEmpty } == [
                        "soundbox: payments whose time is not known: 2; the sums lack them if they are of this range"
                    ], "\(totals)")
                if format == ["--json"] {
                    let json = try JSONValue(parsing: Array(totals.output.joined().utf8))
                    #expect(json["complete"]?.bool == false && json["time_unknown"]?.integer == 2)
                }
            }
            #expect(try await box.stop() == 0)
        }
    }
}
