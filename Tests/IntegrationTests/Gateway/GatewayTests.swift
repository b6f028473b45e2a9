import Foundation
import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@Suite("The gateway, with a real broker", .timeLimit(.minutes(10)))
struct GatewayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A payment that is posted is heard, and its state says so; SIGTERM ends the gateway in good order")
    func heard() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            let gateway = try await trial.start()
            try await box.run {
                #expect(await trial.post("A-1") == 200)
                try await trial.await("A-1", "announced")
                #expect(await trial.post("A-1") == 200)
                #expect(await trial.post("A-1", "13") == 409)
            }
            #expect(box.announced == ["A-1"])
            #expect(try await trial.payment("A-1")["how"] == .string("aloud"))
            gateway.terminate()
            #expect(try await gateway.exitStatus() == 0)
            #expect(try await gateway.errors.all().last?.contains(" stopped") == true)
            let list = try await result(
                of: [Products.gateway, "list", "--unheard", "--config", folder.file("gateway.yaml")])
            #expect(list == CommandResult(code: 0, output: [], errors: []))
        }
    }

    @Test("The trial that the page begins with has a payment and a webhook announced")
    func trial() async throws {
        let script = "\(Products.project)/provisioning/trial/gateway.sh"
        let answer = try await result(of: [script, Products.soundbox, Products.gateway, folder.file("trial.wav")])
        #expect(answer.code == 0, "\(answer.errors)")
        #expect(answer.output.count { $0.contains(#""state":"announced""#) } == 2)
    }

    @Test("A database of version 3 is migrated as the gateway starts: what was open is published, what had ended stays")
    func migrated() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let recorded = "\(Products.project)/Tests/gateway/Gateway/Store/Version3"
            let sql = try String(contentsOfFile: "\(recorded)/version-3.sql", encoding: .utf8)
            try await DatabaseQueue(path: folder.file("gateway.sqlite")).write { try $0.execute(sql: sql) }
            let list = [Products.gateway, "list", "--unheard", "--config", folder.file("gateway.yaml")]
            let early = try await result(of: list)
            #expect(early.code == 1 && early.errors.first?.contains("it is of version 3, and not 6") == true)
            let full = try await result(of: [
                "prlimit", "--fsize=1000", "env", "--ignore-signal=XFSZ", Products.gateway, "run", "--config",
                folder.file("gateway.yaml"),
            ])
            #expect(full.code == 1 && full.errors.count == 1)
            #expect(full.errors.first?.contains(" database: \(folder.file("gateway.sqlite")): ") == true)

            let box = try SimulatedBox(port: broker.port)
            let gateway = try await trial.start()
            try await box.run { try await trial.await("accepted", "announced") }
            // What was published long ago may have become due meanwhile.
            let arrivals = box.arrivals.entries
            #expect(arrivals.contains("accepted") && Set(arrivals).isSubset(of: ["accepted", "published"]))
            #expect(Set(arrivals).count == arrivals.count)
            for answer in try String(contentsOfFile: "\(recorded)/answers.txt", encoding: .utf8).split(separator: "\n")
            {
                let before = try JSONValue(parsing: Array(answer.utf8))
                guard let id = before["id"]?.string, ["failed", "stored", "given-up"].contains(id) else { continue }
                #expect(try await trial.payment(id) == before)
            }
            gateway.terminate()
            #expect(try await gateway.exitStatus() == 0)
            #expect(try await (9 - box.arrivals.entries.count...8).contains(result(of: list).output.count))
        }
    }

    @Test("A box that refuses a payment ends it, with the box's reason")
    func rejected() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            box.answers(.rejected("amount: not today"))
            let gateway = try await trial.start()
            try await box.run {
                #expect(await trial.post("A-1") == 200)
                try await trial.await("A-1", "failed")
            }
            #expect(try await trial.payment("A-1")["reason"] == .string("amount: not today"))
            let list = try await result(
                of: [Products.gateway, "list", "--unheard", "--config", folder.file("gateway.yaml")])
            #expect(list.output.count == 1 && list.output[0].contains("amount: not today"))
            try await gateway.killNow()
        }
    }

    @Test(
        "A broker that is killed with all it had, before the box has answered: the new session gets every payment, once"
    )
    func brokerKilled() async throws {
        let port = try LoopbackSocket.freePort()
        let trial = try GatewayTrial(folder: folder, brokerPort: port, settings: ["reconciles: true"])
        let box = try SimulatedBox(port: port)
        box.answers(.nothing)
        let broker = try await MosquittoBroker.start(in: folder, port: port)
        let gateway = try await trial.start()
        try await box.run {
            for id in 1...3 { #expect(await trial.post("A-\(id)") == 200) }
            for id in 1...3 { try await trial.await("A-\(id)", "published") }
            for _ in 1...3 { _ = try await box.arrivals.next() }
            try await broker.kill()
            // Accepted without a broker, too.
            #expect(await trial.post("A-4") == 200)
            #expect(try await trial.payment("A-4")["state"] == .string("accepted"))
            box.answers(.announced)
            let second = try await MosquittoBroker.start(in: folder, port: port)
            for id in 1...4 { try await trial.await("A-\(id)", "announced") }
            #expect(box.announced.sorted() == ["A-1", "A-2", "A-3", "A-4"])
            _ = try await gateway.errors.next { $0.contains("lost a box's session") ? $0 : nil }
            try await second.stop()
        }
        try await gateway.killNow()
    }

    @Test("A box that is away gets one copy of each payment, however often the gateway and its connection begin anew")
    func away() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            try await box.run {}
            var gateway = try await trial.start()
            #expect(await trial.post("A-1") == 200)
            try await trial.await("A-1", "published")
            for _ in 1...4 {
                try await gateway.killNow()
                gateway = try await trial.start()
                _ = try await gateway.errors.next { $0.contains(" connected ") ? $0 : nil }
                #expect(try await trial.payment("A-1")["state"] == .string("published"))
            }
            let others = (1...30).map { "B-\($0)" }
            try await trial.publish(others)
            #expect(await trial.post("A-2") == 200)
            try await trial.await("A-2", "published")
            try await box.run {
                try await trial.await("A-2", "announced")
                try await trial.await("A-1", "announced")
            }
            #expect(box.arrivals.entries == ["A-1"] + others + ["A-2"])
            try await gateway.killNow()
        }
    }

    @Test("What did not fit into the queue of a box that was away is published again when it is back, each heard once")
    func queueFull() async throws {
        try await withMosquitto(configuration: ["allow_anonymous true", "max_queued_messages 20"], in: folder) {
            broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            let gateway = try await trial.start()
            // It knows the box's session, which goes on: nothing but the missing receipts says what was lost.
            try await box.run {
                #expect(await trial.post("A-0") == 200)
                try await trial.await("A-0", "announced")
            }
            let ids = (1...60).map { "A-\($0)" }
            for id in ids { #expect(await trial.post(id) == 200) }
            for id in ids { try await trial.await(id, "published") }
            try await box.run {
                for id in ids { try await trial.await(id, "announced") }
            }
            #expect(box.announced.count == 61 && Set(box.announced) == Set(["A-0"] + ids))
            try await gateway.killNow()
        }
    }

    @Test(
        "Killed again and again while payments come, the gateway loses none that it has answered, and none is heard twice"
    )
    func killed() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            var generator = SeededGenerator(seed: 37)
            try await box.run {
                var accepted: [String] = []
                for round in 1...8 {
                    let gateway = try await trial.start()
                    let pause = Int.random(in: 0..<150, using: &generator)
                    async let kill: Void = {
                        // Where in the life of a payment it hits is the point, and left to chance.
                        try await Task.sleep(for: .milliseconds(pause))
                        try await gateway.killNow()
                    }()
                    for index in 1... {
                        guard let status = await trial.post("A-\(round)-\(index)") else { break }
                        #expect(status == 200)
                        accepted.append("A-\(round)-\(index)")
                    }
                    try await kill
                }
                let gateway = try await trial.start()
                for id in accepted { try await trial.await(id, "announced") }
                #expect(Set(accepted).isSubset(of: box.announced))
                #expect(Set(box.announced).count == box.announced.count)
                #expect(!accepted.isEmpty)
                try await gateway.killNow()
            }
        }
    }

    @Test(
        "Webhooks that cannot be read outlive the gateway's end, and that of a retry: with a corrected hook each is heard once"
    )
    func unread() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(
                folder: folder, brokerPort: broker.port, settings: ["hooks: \"\(folder.file("hooks"))\""])
            try SmallFile.createFolders(folder.file("hooks"))
            let secret = try folder.write("\(GatewayTrial.token)\n", to: "secret")
            try await ChildProcess.run("chmod", "600", secret)
            func mapping(amount: String) throws {
                try folder.write(
                    """
                    signature: {secret_file: "\(secret)", token: {header: X-Token}}
                    merchant: {constant: M1001}
                    device: {constant: box-01}
                    id: id
                    amount: {field: \(amount), unit: decimal}

                    """, to: "hooks/shop.yaml")
            }
            func command(_ words: String...) async throws -> CommandResult {
                try await result(of: [Products.gateway] + words + ["--config", folder.file("gateway.yaml")])
            }
            try mapping(amount: "amount")
            let box = try SimulatedBox(port: broker.port)
            let ids = (1...40).map { "A-\($0)" }
            var gateway = try await trial.start()
            for id in ids { #expect(await trial.knock(#"{"id":"\#(id)","total":"1.50"}"#) == 200) }
            #expect(await trial.knock(#"{"id":"A-1","total":"1.50"}"#) == 200)
            #expect(await trial.knock("nonsense") == 200)
            #expect(await trial.knock("nonsense", token: "wrong") == 401)
            try await gateway.killNow()

            #expect(try await command("unread").output.count == 41)
            let first = try await command("unread", "--json").output.first ?? ""
            let json = try JSONValue(parsing: Array(first.utf8))
            #expect(json["count"] == .integer(2) && json["document"] == .string(#"{"id":"A-1","total":"1.50"}"#))
            let early = try await command("retry")
            #expect(early.code == 1 && early.errors == ["soundbox-gateway: not read: 41"])

            try mapping(amount: "total")
            gateway = try await trial.start()
            try await box.run {
                // Ended anywhere between the first commit and the last.
                let retry = try ChildProcess([Products.gateway, "retry", "--config", folder.file("gateway.yaml")])
                _ = try await retry.output.next { $0.contains("read") ? $0 : nil }
                try await retry.killNow()
                try await gateway.killNow()
                gateway = try await trial.start()
                let last = try await command("retry")
                #expect(last.code == 1 && last.output.last?.hasPrefix("41\tunread\t") == true)
                #expect(
                    try await command("retry", "1").output == ["1\tunknown\tthere is no unread webhook of this number"])
                for id in ids { try await trial.await(id, "announced") }
                // A provider repeats.
                #expect(await trial.knock(#"{"id":"A-1","total":"1.50"}"#) == 200)
                #expect(await trial.knock(#"{"id":"last","total":"1.50"}"#) == 200)
                try await trial.await("last", "announced")
            }
            #expect(box.announced.sorted() == (ids + ["last"]).sorted())
            #expect(try await command("unread").output.count == 1)
            try await gateway.killNow()
        }
    }

    @Test(
        "SIGHUP reads tokens, hooks and secrets again, keeps connections, and takes nothing of a folder with a mistake")
    func reload() async throws {
        let trial = try GatewayTrial(
            folder: folder, brokerPort: try LoopbackSocket.freePort(),
            settings: ["hooks: \"\(folder.file("hooks"))\""])
        try SmallFile.createFolders(folder.file("hooks"))
        func write(_ secret: String, hook: String, tokens: String) async throws {
            for (text, name) in [(secret, "secret"), (tokens, "tokens")] {
                try await ChildProcess.run("chmod", "600", try folder.write("\(text)\n", to: name))
            }
            try folder.write(hook, to: "hooks/shop.yml")
        }
        let hook = """
            signature: {secret_file: "\(folder.file("secret"))", token: {header: X-Token}}
            merchant: {constant: M1001}
            device: {constant: box-01}
            id: id
            amount: {field: amount, unit: decimal}

            """
        let (first, second) = (GatewayTrial.token, String(GatewayTrial.token.reversed()))
        func post(_ token: String) async throws -> Int {
            try await trial.ask("GET", "/payments", token: token).status
        }
        let body = #"{"id":"A-1","amount":"1"}"#
        try await write(first, hook: hook, tokens: "shop \(first)")
        let gateway = try await trial.start()
        let kept = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard LoopbackSocket.connect(kept, to: trial.port) else { throw TestFailure("connect: \(errno)") }
        defer { close(kept) }
        func ask() throws -> String {
            let request = "GET /payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(second)\r\n\r\n"
            guard send(kept, request, request.utf8.count, 0) > 0 else { throw TestFailure("gone") }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(kept, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
        #expect(try ask().hasPrefix("HTTP/1.1 401 "))
        #expect(await trial.knock(body, token: first) == 200)

        try await write(second, hook: hook + "nonsense: 1\n", tokens: "shop \(second)")
        kill(gateway.id, SIGHUP)
        let refusal = try await gateway.errors.next { $0.contains("not reloaded") ? $0 : nil }
        #expect(refusal.contains("hooks/shop.yml:6"), "\(refusal)")
        let check = try await result(of: [Products.gateway, "check", "--config", folder.file("gateway.yaml")])
        #expect(check.code == 1 && check.errors.first?.contains("hooks/shop.yml:6") == true)
        #expect(await trial.knock(body, token: first) == 200)
        #expect(try await post(second) == 401)
        #expect(try await post(first) == 200)

        try await write(second, hook: hook, tokens: "shop \(second)")
        kill(gateway.id, SIGHUP)
        _ = try await gateway.errors.next { $0.contains(" reloaded") ? $0 : nil }
        #expect(await trial.knock(body, token: first) == 401)
        #expect(await trial.knock(body, token: second) == 200)
        #expect(try await post(second) == 200)
        #expect(try await post(first) == 401)
        #expect(try ask().hasPrefix("HTTP/1.1 200 "))
        try await gateway.killNow()
    }

    @Test("Killed while receipts wait at the broker, the gateway has them when it is back")
    func receiptsWait() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            try await box.run {}
            let gateway = try await trial.start()
            #expect(await trial.post("A-1") == 200)
            try await trial.await("A-1", "published")
            try await gateway.killNow()
            try await box.run { _ = try await box.arrivals.next() }
            let second = try await trial.start()
            try await trial.await("A-1", "announced")
            #expect(box.arrivals.entries == ["A-1"])
            try await second.killNow()
        }
    }

    @Test("Though gateway and receiver are killed again and again, each end is told at least once, and none wrongly")
    func callbacks() async throws {
        try await withMosquitto(in: folder) { broker in
            let port = try LoopbackSocket.freePort()
            let secret = try folder.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "secret")
            try await ChildProcess.run("chmod", "600", secret)
            let trial = try GatewayTrial(
                folder: folder, brokerPort: broker.port,
                settings: [
                    "callbacks: {shop: {url: \"http://127.0.0.1:\(port)/x\", secret_file: \"\(secret)\", on: [announced]}}"
                ])
            let receive = ["python3", "\(Products.project)/provisioning/callbacks/receiver.py", "\(port)", secret]
            func list() async throws -> [String] {
                try await result(of: [Products.gateway, "callbacks", "--config", folder.file("gateway.yaml")]).output
            }
            let box = try SimulatedBox(port: broker.port)
            var generator = SeededGenerator(seed: 41)
            try await box.run {
                var (accepted, told): ([String], [String]) = ([], [])
                for round in 1...6 {
                    let gateway = try await trial.start()
                    let receiver = try ChildProcess(receive)
                    let (pause, gatewayFirst) = (Int.random(in: 50..<400, using: &generator), round % 2 == 0)
                    async let kill: Void = {
                        // Where in the life of a callback it hits is the point, and left to chance.
                        try await Task.sleep(for: .milliseconds(pause))
                        try await (gatewayFirst ? gateway : receiver).killNow()
                    }()
                    for index in 1...40 {
                        guard await trial.post("A-\(round)-\(index)", "\(round).\(index)0") == 200 else { break }
                        accepted.append("A-\(round)-\(index)")
                    }
                    try await kill
                    try await (gatewayFirst ? receiver : gateway).killNow()
                    told += receiver.output.entries
                }
                let gateway = try await trial.start()
                for id in accepted { try await trial.await(id, "announced") }
                #expect(try await list().allSatisfy { $0.contains("\tshop\t") && $0.contains("\tpayment.announced\t") })
                let receiver = try ChildProcess(receive)
                while try await !list().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
                told += receiver.output.entries
                var events: [Substring: Substring] = [:]
                for line in told {
                    let words = line.split(separator: " ", maxSplits: 1)
                    #expect(events[words[0], default: words[1]] == words[1])
                    events[words[0]] = words[1]
                }
                let right = accepted.map { id in
                    let numbers = id.split(separator: "-")
                    return "payment.announced M1001/box-01/\(id) \(numbers[1]).\(numbers[2]) CNY"
                }
                #expect(!right.isEmpty && Set(right).isSubset(of: events.values.map(String.init)))
                // Beyond these only what was posted without an answer.
                #expect(Set(events.values).count == events.count && events.count <= right.count + 6)
                #expect(receiver.errors.entries.isEmpty)
                gateway.terminate()
                #expect(try await gateway.exitStatus() == 0)
                try await receiver.killNow()
            }
        }
    }

    @Test("While the disk takes nothing, payments are refused and receipts stay at the broker; then all go on")
    func diskFull() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port)
            let box = try SimulatedBox(port: broker.port)
            // From here on the broker keeps what comes for it.
            try await box.run {}
            let gateway = try await trial.start()
            #expect(await trial.post("A-1") == 200)
            try await trial.await("A-1", "published")
            // Beyond that the kernel refuses (setrlimit(2), RLIMIT_FSIZE), which to SQLite is a full disk.
            try await ChildProcess.run("prlimit", "--pid", "\(gateway.id)", "--fsize=1000:")
            #expect(await trial.post("A-2") == 503)
            #expect(try await trial.payment("A-2")["error"] != nil)
            try await box.run {
                _ = try await box.arrivals.next()
                _ = try await gateway.errors.next { $0.contains("could not be stored") ? $0 : nil }
                #expect(try await trial.payment("A-1")["state"] == .string("published"))
                try await ChildProcess.run("prlimit", "--pid", "\(gateway.id)", "--fsize=unlimited:")
                try await trial.await("A-1", "announced")
                #expect(await trial.post("A-2") == 200)
                try await trial.await("A-2", "announced")
            }
            #expect(box.announced == ["A-1", "A-2"])
            gateway.terminate()
            #expect(try await gateway.exitStatus() == 0)
        }
    }

    @Test(
        "What cannot be used is told in one line, with its file",
        arguments: [
            ("client_id: x\n", "gateway.yaml", "broker"), ("nonsense", "gateway.yaml", "mapping"),
        ])
    func configuration(text: String, file: String, word: String) async throws {
        let path = try folder.write(text, to: "gateway.yaml")
        let answer = try await result(of: [Products.gateway, "run", "--config", path])
        #expect(answer.code == 1 && answer.errors.count == 1)
        #expect(answer.errors.first?.contains(file) == true && answer.errors.first?.contains(word) == true)
    }

    @Test(
        "What a key names and cannot be used is told with the key",
        arguments: ["tokens_file", "keys", "hooks", "database"], ["/none/file", "none/file", "none"])
    func keys(key: String, file: String) async throws {
        let tokens = try folder.write("shop \(GatewayTrial.token)\n", to: "tokens")
        try await ChildProcess.run("chmod", "600", tokens)
        var values = ["tokens_file": tokens, "database": folder.file("gateway.sqlite")]
        // A database that is only missing is made.
        values[key] = key == "database" && file == "none" ? "none/none" : file
        let path = values.removeValue(forKey: key) ?? ""
        let lines = values.map { "\($0): \($1)" }.joined(separator: "\n")
        let configuration = try folder.write(
            "client_id: x\nbroker: {url: \"mqtt://127.0.0.1:1\"}\n\(key): \(path)\n\(lines)\n", to: "gateway.yaml")
        let answer = try await result(of: [Products.gateway, "run", "--config", configuration])
        #expect(answer.code == 1 && answer.errors.count == 1)
        #expect(answer.errors.first?.contains("gateway.yaml:3: \(key): \(path)") == true, "\(answer.errors)")
    }

    @Test("Bad usage has code 64, and help and version code 0")
    func usage() async throws {
        #expect(try await result(of: [Products.gateway, "list"]).code == 64)
        #expect(try await result(of: [Products.gateway, "run", "--nonsense"]).code == 64)
        #expect(try await result(of: [Products.gateway, "--help"]).code == 0)
        #expect(try await result(of: [Products.gateway, "--version"]).output == [SoundboxVersion.current])
    }

    @Test("A real box with a key says what is posted, and nothing of what is not signed")
    func realBox() async throws {
        try await withMosquitto(in: folder) { broker in
            let key = try folder.write("0123456789abcdef0123456789abcdef\n", to: "box.key")
            try await ChildProcess.run("chmod", "600", key)
            let trial = try GatewayTrial(folder: folder, brokerPort: broker.port, settings: ["keys: \"\(key)\""])
            let configuration = try folder.write(
                """
                merchant_id: M1001
                device_id: box-01
                broker: {url: "mqtt://127.0.0.1:\(broker.port)"}
                audio: {device: "file:\(folder.file("sound.wav"))", volume: 100}
                voice: {locale: zh-CN, directory: "\(Products.sounds)"}
                board: none
                board_directory: "\(Products.board)"
                state_directory: "\(folder.file("state"))"
                control_socket: "\(folder.file("control.sock"))"
                authenticity: {key_file: "\(key)"}
                announce: {prompts: {network: false, ready: false}}

                """, to: "soundbox.yaml")
            let box = try ChildProcess([Products.soundbox, "run", "--config", configuration])
            _ = try await box.errors.next { $0.contains(" info online") ? $0 : nil }
            let gateway = try await trial.start()
            #expect(await trial.post("A-1") == 200)
            try await trial.await("A-1", "announced")
            #expect(try await trial.payment("A-1")["how"] == .string("aloud"))
            // Not before the gateway is at its broker: no receipt is kept for one that has never been there.
            try await trial.publish(["forged"])
            _ = try await gateway.errors.next { $0.contains("a box refuses messages") ? $0 : nil }
            let token = String(GatewayTrial.token.reversed())
            func command(_ path: String, _ body: String) async throws -> (status: Int, json: JSONValue) {
                try await trial.ask("POST", "/boxes/M1001/\(path)", body, token: token)
            }
            // A box counts as away until its first status has come.
            while try await trial.ask("GET", "/boxes/M1001/box-01").json["online"] != .bool(true) {
                try await Task.sleep(for: .milliseconds(20))
            }
            let volume = try await command("box-01/volume", #"{"volume":55}"#)
            #expect(volume.status == 200 && volume.json["result"] == .string("ok"), "\(volume)")
            let wrong = try await command("box-01/volume", #"{"volume":555}"#)
            #expect(wrong.status == 422 && wrong.json["reason"]?.string?.hasPrefix("volume: ") == true, "\(wrong)")
            #expect(try await command("box-02/ring", "{}").status == 409)
            #expect(try await command("box-02/cancel", #"{"command":"r-1"}"#).status == 202)
            box.terminate()
            #expect(try await box.exitStatus() == 0)
            gateway.terminate()
            #expect(try await gateway.exitStatus() == 0)
        }
    }
}
