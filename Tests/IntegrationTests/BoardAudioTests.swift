import Foundation
import TestSupport
import Testing

@Suite("Trying a board's sound", .timeLimit(.minutes(10)))
struct BoardAudioTests {
    private let folder: TemporaryFolder
    private let configuration: String

    init() throws {
        folder = try TemporaryFolder()
        configuration = try folder.write(
            """
            merchant_id: M1001
            device_id: box-01
            broker: {url: "mqtt://127.0.0.1:1"}
            audio: {device: "file:\(folder.file("heard.wav"))", volume: 100}
            voice: {locale: zh-CN, directory: "\(Products.sounds)"}
            board: none
            board_directory: "\(Products.board)"

            """, to: "soundbox.yaml")
    }

    private func test(_ arguments: [String] = [], answers: String = "") async throws -> CommandResult {
        let child = try ChildProcess(
            [Products.soundbox, "board", "test", "audio", "--config", configuration] + arguments, input: answers)
        let status = try await child.exitStatus()
        return CommandResult(
            code: status >> 8, output: try await child.output.all(), errors: try await child.errors.all())
    }

    @Test("Tone, channel and payment are played, each is asked about, and yes to all is success")
    func allHeard() async throws {
        let result = try await test(answers: "y\nYES\ny\n")
        #expect(result.code == 0)
        #expect(result.errors == [])
        #expect(result.output.first?.contains("48000 Hz, 1 channel, int16") == true)
        #expect(result.output.last?.hasSuffix("The sound works.") == true)
        // Three seconds of tone at a tenth of full scale come first, and a payment as the box speaks it comes last.
        let heard = try WAV(reading: folder.file("heard.wav")).samples
        #expect(abs(Int(heard[..<144_000].max() ?? 0) - 3277) <= 1)
        _ = try await soundbox(
            "say", "123.45", "--channel", "alipay", "--sounds", Products.sounds, "-o", folder.file("payment.wav"))
        let payment = try WAV(reading: folder.file("payment.wav")).samples
        #expect(heard.suffix(payment.count).elementsEqual(payment))
        #expect(heard[144_000..<(heard.count - payment.count)].contains { abs(Int($0)) > 1000 })
    }

    @Test("What was not heard is named, with what to do, and is a failure")
    func notHeard() async throws {
        let result = try await test(answers: "n\nmaybe\ny\nn\n")
        #expect(result.code == 1)
        #expect(result.output.contains { $0.contains("Please answer y, n or r.") })
        #expect(result.errors.count == 1)
        #expect(result.errors.first?.contains("not heard: tone, payment; ") == true)
        #expect(result.errors.first?.contains("soundbox doctor") == true)
    }

    @Test("r plays it again")
    func again() async throws {
        #expect(try await test(answers: "r\ny\ny\ny\n").code == 0)
        let heard = try WAV(reading: folder.file("heard.wav")).samples
        let tone = heard[..<144_000]
        #expect(heard[144_000..<288_000].elementsEqual(tone))
    }

    @Test("Without anybody who answers it fails at once, and --no-questions plays everything")
    func nobody() async throws {
        let silent = try await test()
        #expect(silent.code == 1)
        #expect(silent.errors.count == 1 && silent.errors.first?.contains("--no-questions") == true)
        let played = try await test(["--no-questions"])
        #expect(played.code == 0 && played.errors == [])
        #expect(played.output.last == "The device took all of it.")
        #expect(!played.output.contains { $0.contains("[y/n") })
    }

    @Test("A device that does not open, a wrong volume and a missing configuration are one line each")
    func failures() async throws {
        let absent = try await test(["--device", "hw:CARD=Nowhere"])
        #expect(absent.code == 1 && absent.errors.count == 1)
        #expect(absent.errors.first?.contains("hw:CARD=Nowhere") == true)
        #expect(try await test(["--volume", "101"]).code == 64)
        let missing = try await soundbox("board", "test", "audio", "--config", folder.file("none.yaml"))
        #expect(missing.code == 1 && missing.errors.count == 1)
    }

    @Test("A board's lights and buttons are still tested by the board's name")
    func panel() async throws {
        let result = try await soundbox("board", "test", "none", "--boards", Products.board)
        #expect(result.code == 0)
        #expect(result.output.last?.hasPrefix("none: ") == true)
    }
}
