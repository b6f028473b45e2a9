import Foundation
import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSetup
import SoundboxStore
import SoundboxSystem
import Synchronization
import TestSupport

/// One box's folder and configuration, on a broker of its own. Nothing runs yet.
struct Trial {
    let folder: TemporaryFolder
    let broker: MosquittoBroker
    let configurationFile: String

    /// - Parameters:
    ///   - device: `audio.device`; `nil` writes a WAV as fast as it can.
    ///   - audio: more keys of `audio`, such as `gap: 0s`.
    ///   - sounds: the folder with the voices.
    ///   - port: where the box reaches the broker, when that is not the broker's own.
    ///   - announce: keys of `announce`. What the box says of the network by itself is switched off unless `prompts` is
    ///     among them, so that nothing is heard but what a test asks for.
    ///   - settings: further lines of the configuration.
    init(
        folder: TemporaryFolder, broker: MosquittoBroker, device: String? = nil, audio: [String] = [],
        sounds: String = Products.sounds, port: Int? = nil, announce: [String] = [], settings: [String] = []
    ) throws {
        self.folder = folder
        self.broker = broker
        let audio = ["device: \"\(device ?? "file:\(folder.file("sound.wav"))")\"", "volume: 100"] + audio
        let silence = announce.contains { $0.hasPrefix("prompts:") } ? [] : ["prompts: {network: false, ready: false}"]
        configurationFile = try folder.write(
            """
            merchant_id: M1001
            device_id: box-01
            broker: {url: "mqtt://127.0.0.1:\(port ?? broker.port)"}
            audio: {\(audio.joined(separator: ", "))}
            voice: {locale: zh-CN, directory: "\(sounds)"}
            board: none
            board_directory: "\(Products.board)"
            state_directory: "\(folder.file("state"))"
            control_socket: "\(folder.file("control.sock"))"
            announce: {\((announce + silence).joined(separator: ", "))}
            \(settings.joined(separator: "\n"))

            """, to: "soundbox.yaml")
    }

    var wav: String { folder.file("sound.wav") }
    var inbox: String { folder.file("state/inbox.sqlite") }

    private var publisher: MQTTPublisher {
        get throws {
            var settings = try MQTTSettings(try Configuration(readingFile: configurationFile))
            // Past whatever stands between the box and the broker.
            settings.hosts[0].port = broker.port
            return MQTTPublisher(settings: settings)
        }
    }

    /// Starts the box and returns at once.
    func launchBox(
        program: String = Products.soundbox, environment: [String: String] = [:], isAfterPowerCut: Bool = true
    ) throws -> ChildProcess {
        // A test that kills the box means a power cut, after which the machine has booted anew: nothing is left of the
        // connection's mark, and the box does not wait before it connects.
        if isAfterPowerCut { try? FileManager.default.removeItem(atPath: folder.file("state/connection")) }
        return try ChildProcess([program, "run", "--config", configurationFile], environment: environment)
    }

    /// Starts the box and returns once payments reach it and it answers on its control socket.
    func startBox(
        program: String = Products.soundbox, environment: [String: String] = [:], isAfterPowerCut: Bool = true
    ) async throws -> ChildProcess {
        let box = try launchBox(
            program: program, environment: environment, isAfterPowerCut: isAfterPowerCut)
        _ = try await box.errors.next { $0.contains(" info online") ? $0 : nil }
        // Nothing tells when the socket is there.
        while !FileManager.default.fileExists(atPath: folder.file("control.sock")) {
            try await Task.sleep(for: .milliseconds(10))
        }
        return box
    }

    /// What the running box says is wrong with it.
    func faults() async throws -> [String] {
        let result = try await soundbox("status", "--json", "--config", configurationFile)
        let json = try? JSONValue(parsing: Array(result.output.joined().utf8))
        guard case .array(let faults)? = json?["faults"] else { throw TestFailure("no faults in \(result)") }
        return faults.compactMap(\.string)
    }

    /// Publishes payloads and returns when the broker has them.
    func publish(_ payloads: [String]) async throws {
        let publisher = try publisher
        try await onOwnThread(named: "publisher") {
            try publisher.publish(payloads.map { Array($0.utf8) }, timeout: .seconds(300))
        }
    }

    /// Publishes payloads together and collects receipts until they are enough: as many final ones, where nothing else
    /// is said.
    func publishAndWait(
        _ payloads: [String], until isEnough: (@Sendable ([ReceiptRecord]) -> Bool)? = nil
    ) async throws -> [ReceiptRecord] {
        let publisher = try publisher
        return try await onOwnThread(named: "publisher") {
            var receipts: [ReceiptRecord] = []
            var seen: Set<ReceiptRecord.Name> = []
            try publisher.publish(payloads.map { Array($0.utf8) }, timeout: .seconds(300)) { payload in
                let receipt = ReceiptRecord(payload)
                guard seen.insert(receipt.name).inserted else { return false }
                receipts.append(receipt)
                return isEnough?(receipts) ?? (receipts.count { $0.state != "stored" } >= payloads.count)
            }
            return receipts
        }
    }

    /// Listens to the receipts until `count` payments are announced, besides those that were before and whose receipts
    /// may come again; the result comes with ``Journal/all()``. A receipt that is sent once more, as after a connection
    /// that ended before its acknowledgement, counts once; a payment that is announced twice has two.
    func collectReceipts(
        untilAnnounced count: Int, besides known: Set<String> = [], within limit: Duration = .seconds(300)
    ) throws -> Journal<ReceiptRecord> {
        let publisher = try publisher
        let journal = Journal<ReceiptRecord>()
        startThread(named: "receipts") {
            var announced: Set<String> = []
            var seen: Set<ReceiptRecord.Name> = []
            try? publisher.publish([], timeout: limit) { payload in
                let receipt = ReceiptRecord(payload)
                guard !known.contains(receipt.id ?? ""), seen.insert(receipt.name).inserted else { return false }
                journal.append(receipt)
                if receipt.state == "announced" { announced.insert(receipt.id ?? "") }
                return announced.count == count
            }
            journal.finish()
        }
        return journal
    }
}

/// One receipt as it came from the broker.
struct ReceiptRecord: Sendable, Equatable, CustomStringConvertible {
    var id: String?
    var state: String
    var reason: String?
    var sequence: Int
    var epoch: String?
    var audibility: String?

    init(_ payload: [UInt8]) {
        let json = try? JSONValue(parsing: payload)
        id = json?["id"]?.string
        state = json?["state"]?.string ?? "unreadable"
        reason = json?["reason"]?.string
        sequence = json?["sequence"]?.integer ?? -1
        epoch = json?["epoch"]?.string
        audibility = json?["how"]?.string
    }

    /// What names a receipt for ever: two with the same name are the same receipt (docs/integration.md).
    struct Name: Hashable {
        var epoch: String?
        var sequence: Int
    }

    var name: Name { Name(epoch: epoch, sequence: sequence) }

    var description: String { "\(sequence) \(id ?? "-") \(state)" }
}

/// A payment notice.
func notice(_ id: String, _ amount: String, channel: String = "alipay") -> String {
    #"{"id":"\#(id)","amount":"\#(amount)","channel":"\#(channel)"}"#
}

extension ChildProcess {
    /// The next log line that contains all of these.
    @discardableResult
    func logged(_ words: String...) async throws -> String {
        try await errors.next { line in words.allSatisfy { line.contains($0) } ? line : nil }
    }

    /// A log line that contains all of these, which may have come before the last one that was waited for: what a box
    /// finds out while it starts has no order.
    func hasLogged(_ words: String...) async throws {
        @Sendable func fits(_ line: String) -> Bool { words.allSatisfy { line.contains($0) } }
        if errors.entries.contains(where: fits) { return }
        _ = try await errors.next { line in fits(line) ? line : nil }
    }

    /// Has something done at the next log line that contains all of these, where lines are read: a test that has to
    /// wake up first may come too late.
    func reached(_ words: String..., then act: @escaping @Sendable (ChildProcess) -> Void) async throws {
        let isDone = Mutex(false)
        try await errors.next { [self] line -> Void? in
            guard words.allSatisfy({ line.contains($0) }) else { return nil }
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst { act(self) }
            return ()
        }
    }

    /// Ends it in good order and waits.
    ///
    /// - Returns: its exit code, when everything that it logged is in ``errors``.
    func stop() async throws -> Int32 {
        terminate()
        let status = try await exitStatus()
        _ = try await errors.all()
        return status >> 8
    }
}
