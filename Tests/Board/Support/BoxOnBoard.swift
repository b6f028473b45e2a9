import Foundation
import SoundboxConfiguration
import SoundboxMQTT
import SoundboxSetup
import SoundboxSystem
import TestSupport

/// The box under test on a virtual board.
struct BoxOnBoard {
    let board: VirtualBoard
    /// The port of a broker on this machine, which outlives a power cut; `nil` for `broker_start` on the board, whose
    /// messages arrive at once: QEMU's user networking takes seconds now and then.
    let port: Int?
    /// Whether the log goes into the shared folder at once, where a power cut does not reach it. That holds the box up:
    /// not for tests that listen.
    let logOutlivesBoard: Bool
    /// The configuration that the box is started with: a path on the board.
    let configuration: String

    private var folder: TemporaryFolder { board.folder }

    /// Writes the box's files. Nothing runs yet.
    ///
    /// - Parameters:
    ///   - state: a folder under ``VirtualBoard/stateFolder`` that is this box's own.
    ///   - configuration: for a test that puts what is written into the shared folder somewhere else on the board.
    ///   - boardFile: of `board/`, or `amplified`, with an amplifier to be switched, or `no-bias`: requesting a line
    ///     with a bias lets gpio-sim's finger go, so a button that is to be down at the start needs a board with
    ///     resistors of its own.
    init(
        on board: VirtualBoard, port: Int? = nil, state: String, device: String = "hw:Loopback,0,0",
        boardFile: String = "raspberry-pi", logOutlivesBoard: Bool = false,
        configuration: String = "/host/soundbox.yaml"
    ) throws {
        self.board = board
        self.port = port
        self.logOutlivesBoard = logOutlivesBoard
        self.configuration = configuration
        if !FileManager.default.fileExists(atPath: board.folder.file("sounds")) {
            try ToneVoice.write(to: board.folder)
            try FileManager.default.copyItem(atPath: "\(Products.project)/board", toPath: board.folder.file("board"))
            let shipped = try String(contentsOfFile: "\(Products.project)/board/raspberry-pi.yaml", encoding: .utf8)
            try board.folder.write(
                shipped.replacingOccurrences(of: "pull_up", with: "as_is"), to: "board/no-bias.yaml")
            try board.folder.write(
                shipped + "  amplifier: {line: GPIO\(VirtualBoard.Line.amplifier.rawValue), lead: 250ms, lag: 500ms}\n",
                to: "board/amplified.yaml")
        }
        try board.folder.write(
            """
            merchant_id: M1001
            device_id: box-01
            broker: {url: "mqtt://\(port.map { "\(VirtualBoard.hostAddress):\($0)" } ?? "127.0.0.1:1883")"}
            audio: {device: "\(device)", volume: 50}
            voice: {locale: \(ToneVoice.locale), directory: /run/sounds}
            board: \(boardFile)
            board_directory: /host/board
            state_directory: \(board.stateFolder)/\(state)
            control_socket: /run/soundbox.sock
            announce: {expire_after: 24h, prompts: {network: false, ready: false}}

            """, to: "soundbox.yaml")
    }

    /// Starts the box. Returns at once.
    func launch(_ options: String = "") async throws {
        if logOutlivesBoard { try await board.run("log=/host/box.log") }
        try await board.run("launch \(options) --config \(configuration)")
    }

    /// Starts the box and returns when payments reach it.
    /// - Parameter seconds: resets the board when the box says nothing for so long; `nil` for never.
    func start(watchedFor seconds: Int? = nil) async throws {
        if let seconds { try await board.run("supervisor='supervise \(seconds)'") }
        try await launch()
        try await logged(" info online")
    }

    /// Ends it as `systemctl stop` does.
    func stop() async throws {
        try await board.run("kill $box; wait $box")
    }

    /// Waits until this stands in so many lines of the log.
    func logged(_ words: String, count: Int = 1, within seconds: Int = 30) async throws {
        do {
            try await board.run("await \(seconds) logged \(count) '\(words)'")
        } catch {
            // A board that has died has no log to show, and that it died is what must be told.
            guard let log = try? await log else { throw error }
            throw TestFailure("\(error); the box's log:\n\(log.joined(separator: "\n"))")
        }
    }

    /// The box's log so far.
    var log: [String] {
        get async throws {
            guard logOutlivesBoard else { return try await board.run("cat $log") }
            let text = String(decoding: try folder.read("box.log"), as: UTF8.self)
            return text.split(separator: "\n").map(String.init)
        }
    }

    /// The payments that the box began to speak since it was started, in order.
    var begunAnnouncements: [String] {
        get async throws { announcementsBegun(in: try await log) }
    }

    /// Publishes payments and returns when the broker has them.
    func publish(_ payments: (id: String, amount: String)...) async throws { try await publish(payments) }

    func publish(_ payments: [(id: String, amount: String)]) async throws {
        let notices = payments.map { #"{"id":"\#($0.id)","amount":"\#($0.amount)","channel":"alipay"}"# }
        guard let port else {
            for notice in notices {
                try await board.run(
                    "mosquitto_pub -h 127.0.0.1 -q 1 -t soundbox/v1/M1001/box-01/payments -m '\(notice)'")
            }
            return
        }
        let settings = try MQTTSettings(
            Configuration(
                parsing: """
                    merchant_id: M1001
                    device_id: box-01
                    broker: {url: "mqtt://127.0.0.1:\(port)"}
                    """, file: "publisher.yaml"))
        try await onOwnThread(named: "publisher") {
            try MQTTPublisher(settings: settings).publish(notices.map { Array($0.utf8) }, timeout: .seconds(300))
        }
    }

    /// Records the loopback card and follows LED and motor while `body` runs.
    func observing(_ body: () async throws -> Void) async throws -> Observation {
        try await board.run(
            "record_begin; watch_begin \(VirtualBoard.Line.led.rawValue) \(VirtualBoard.Line.vibration.rawValue)")
        do { try await body() } catch {
            _ = try? await board.run("watch_end; record_end")
            throw error
        }
        try await board.run("watch_end; record_end")
        return try Observation(folder: folder)
    }
}

extension VirtualBoard {
    /// Runs a box of its own, on a broker of its own on the board, while `body` runs.
    func withBox(
        _ name: String, device: String = "hw:Loopback,0,0", board file: String = "raspberry-pi",
        _ body: (BoxOnBoard) async throws -> Void
    ) async throws {
        try await withBroker {
            let box = try BoxOnBoard(on: self, state: name, device: device, boardFile: file)
            try await running(box) {
                try await box.logged(" info online")
                try await body(box)
            }
        }
    }

    /// Runs a broker on the board while `body` runs.
    func withBroker(_ body: () async throws -> Void) async throws {
        try await run("broker_start")
        do { try await body() } catch {
            _ = try? await run("broker_stop")
            throw error
        }
        try await run("broker_stop")
    }

    /// Runs a box while `body` runs.
    func running(_ box: BoxOnBoard, _ options: String = "", _ body: () async throws -> Void) async throws {
        try await clearingUp {
            try await box.launch(options)
            try await body()
            try await box.stop()
        }
    }

    /// Runs `body`, which launches a box: one whose test has failed must not be in the way of the next.
    func clearingUp(_ body: () async throws -> Void) async throws {
        do { try await body() } catch {
            _ = try? await run("kill -9 $box; release 17 22 23; wait $box; true")
            throw error
        }
    }
}
