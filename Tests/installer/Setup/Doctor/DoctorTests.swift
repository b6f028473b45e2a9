import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxConfiguration
@testable import SoundboxSetup

@Suite("What the doctor concludes")
struct DoctorTests {
    private static let now = 1_800_000_000
    private static let day = 86_400

    @Test(
        "A refused certificate is explained",
        arguments: [
            (-10 * day, -3 * day, ["mq.example.com"], "expired 3 days ago"),
            (2 * 3600, 10 * day, ["mq.example.com"], "begins in 2 hours"),
            (
                -day, day, ["other.example.com", "192.0.2.1"],
                "is for other.example.com, 192.0.2.1, and not for mq.example.com"
            ),
            (-day, day, [], "is for no host at all"),
            (-day, day, ["*.b.example.com"], "is for *.b.example.com"),
            (-day, day, ["*.example.com"], nil),
            (-day, day, ["MQ.example.com"], nil),
        ] as [(Int, Int, [String], String?)])
    func certificates(notBefore: Int, notAfter: Int, names: [String], expected: String?) {
        let certificate = BrokerCertificate(
            notBefore: Self.now + notBefore, notAfter: Self.now + notAfter, names: names)
        let text = certificate.explanation(for: "mq.example.com", now: Self.now)
        #expect((text == nil) == (expected == nil))
        if let expected { #expect(text?.contains(expected) == true) }
    }

    @Test("A password with a blank at an end is worth a look, and is not shown")
    func blankInPassword() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("s3cret \n", to: "password")
        chmod(path, 0o600)
        let text = """
            merchant_id: M
            device_id: b
            broker: {url: "mqtt://h", username: box, password_file: "\(path)"}

            """
        let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
        let finding = SetupChecks(configuration: configuration, boxIsRunning: false).secrets()
        #expect(finding.level == .amber)
        #expect(
            finding.detail
                == "password file \(path): the password begins or ends with a blank, which is sent as a part of it")
    }

    @Test("Every secret must be there and for the box only, the key that notices are signed with included")
    func secrets() throws {
        let folder = try TemporaryFolder()
        let least = "merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://h\"}\n"
        let key = folder.file("signing.key")
        func finding(_ text: String) throws -> Finding {
            let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
            return SetupChecks(configuration: configuration, boxIsRunning: false).secrets()
        }
        #expect(try finding(least).detail == "there are none")
        let signed = least + "authenticity: {key_file: \"\(key)\"}\n"
        #expect(try finding(signed).level == .red)
        try folder.write("0123456789abcdef0123456789abcdef\n", to: "signing.key")
        chmod(key, 0o644)
        #expect(try finding(signed).detail.contains("every user of this system may read it"))
        chmod(key, 0o600)
        #expect(try finding(signed).detail == "readable by the box only")
        let next = folder.file("next.key")
        let changing = least + "authenticity: {key_file: \"\(key)\", next_key_file: \"\(next)\"}\n"
        #expect(try finding(changing).detail.contains("\(next): No such file"))
    }

    @Test("A helper that is missing is worth a look where clips are wanted, and told in any case")
    func helper() throws {
        func checks(_ text: String) throws -> SetupChecks {
            let least = "merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://h\"}\n"
            let configuration = try Configuration(parsing: least + text, file: "soundbox.yaml")
            return SetupChecks(configuration: configuration, boxIsRunning: false)
        }
        let clips = "clips: {hosts: [cdn.example.com]}\n"
        #expect(try checks(clips).helper("/bin/sh") == Finding("helper", .green, "/bin/sh"))
        let texts = try checks("").helper("/nonexistent")
        #expect(texts.level == .green && texts.advice == nil)
        #expect(texts.detail.hasPrefix("/nonexistent: No such file or directory; of texts without recordings"))
        let both = try checks(clips).helper("/nonexistent")
        #expect(both.level == .amber && both.advice == "run: sudo apt install soundbox-speak")
        #expect(both.detail.hasSuffix("clips are refused"))
    }

    @Test("A pipe or a folder in the place of the inbox holds nobody up", .timeLimit(.minutes(10)))
    func inboxIsNoFile() throws {
        let folder = try TemporaryFolder()
        let text = "merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtt://h\"}\nstate_directory: \(folder.path)\n"
        let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
        let checks = SetupChecks(configuration: configuration, boxIsRunning: false)
        #expect(checks.inbox().level == .green)
        // There was one.
        try folder.write("M", to: "owner")
        #expect(checks.inbox().level == .red && checks.inbox().detail.contains("inbox.sqlite is gone"))
        mkfifo(folder.file("inbox.sqlite"), 0o666)
        #expect(checks.inbox().detail.contains("is no file"))
        unlink(folder.file("inbox.sqlite"))
        mkdir(folder.file("inbox.sqlite"), 0o755)
        #expect(checks.inbox().detail.contains("is no file"))
    }

    @Test("A currency of another country than the voice's is worth a look; one that its language is used with is not")
    func currency() throws {
        let sounds = #filePath.replacing(/\/Tests\/.*$/, with: "/sounds")
        func finding(_ locale: String, _ currency: String?) throws -> Finding? {
            let text = """
                merchant_id: M
                device_id: b
                broker: {url: "mqtt://h"}
                voice: {locale: \(locale), directory: \(sounds)}
                \(currency.map { "announce: {currency: \($0)}" } ?? "")

                """
            let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
            return SetupChecks(configuration: configuration, boxIsRunning: false).currency()
        }
        let foreign = try #require(try finding("hi-IN", nil))
        #expect(foreign.level == .amber)
        #expect(foreign.detail == "hi-IN says CNY for payments that name no currency, not INR")
        #expect(foreign.advice?.contains("sudo soundbox setup --currency INR") == true)
        for (locale, code) in [("de-DE", "CNY"), ("en-US", "CNY"), ("ko-KR", "THB"), ("[th-TH, ms-MY]", "VND")] {
            #expect(try finding(locale, code) != nil, "\(locale) \(code)")
        }
        for (locale, code) in [
            ("zh-CN", nil), ("hi-IN", "INR"), ("en-US", "USD"), ("en-US", "EUR"), ("en-US", "INR"), ("en-US", "GBP"),
            ("zh-TW", "CNY"), ("[en-US, zh-CN]", "CNY"), ("[hi-IN, en-US]", "USD"), ("vi-VN", "CHF"),
        ] { #expect(try finding(locale, code) == nil, "\(locale) \(code ?? "")") }
    }

    @Test("A time zone whose sign misleads is worth a look")
    func timeZone() throws {
        func finding(_ zone: String?, machine: String? = "Asia/Shanghai") throws -> Finding? {
            let text = """
                merchant_id: M
                device_id: b
                broker: {url: "mqtt://h"}
                \(zone.map { "day: {time_zone: \($0)}" } ?? "")

                """
            let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
            return SetupChecks(configuration: configuration, boxIsRunning: false).timeZone(machine: machine)
        }
        let west = try #require(try finding("Etc/GMT+8"))
        #expect(west.level == .amber)
        #expect(west.detail == "Etc/GMT+8 is 8 h behind UTC; the zone 8 h ahead is Etc/GMT-8")
        #expect(west.advice?.contains("--set day.time_zone=") == true)
        let east = try finding(nil, machine: "Etc/GMT-10")
        #expect(east?.detail == "Etc/GMT-10 is 10 h ahead of UTC; the zone 10 h behind is Etc/GMT+10")
        #expect(east?.advice?.contains("timedatectl") == true)
        for zone in ["Etc/GMT", "Etc/GMT-0", "Etc/GMT0", "Etc/UTC", "GMT", nil] {
            #expect(try finding(zone) == nil && finding(nil, machine: zone) == nil)
        }
    }

    @Test("Who speaks is told; somebody else than was chosen is worth a look")
    func voice() async throws {
        let folder = try TemporaryFolder()
        let shipped = #filePath.replacing(/\/Tests\/.*$/, with: "/sounds/zh-CN")
        let own = folder.file("sounds/zh-CN-yunxi")
        try SmallFile.createFolders(folder.file("sounds"))
        try await ChildProcess.run("cp", "-r", shipped, own)
        let lines = try SmallFile.read("\(shipped)/voice.yaml").split(separator: "\n", omittingEmptySubsequences: false)
        try folder.write(
            "speaker: {id: yunxi, name: 云希}\n"
                + lines.filter { !$0.hasPrefix("speaker:") }.joined(separator: "\n"),
            to: "sounds/zh-CN-yunxi/voice.yaml")
        func finding(_ keys: String) throws -> Finding {
            let text = """
                merchant_id: M
                device_id: b
                broker: {url: "mqtt://h"}
                voice: {directory: "\(folder.file("sounds"))"\(keys)}

                """
            let configuration = try Configuration(parsing: text, file: "soundbox.yaml")
            return SetupChecks(configuration: configuration, boxIsRunning: false).voice()
        }
        let chosen = try finding(", speaker: yunxi")
        #expect(chosen.level == .green && chosen.detail.hasPrefix("zh-CN-yunxi, ") && !chosen.detail.contains(";"))
        let unchosen = try finding("")
        #expect(unchosen.level == .green && unchosen.detail.contains("no speaker is chosen for zh-CN; zh-CN-yunxi"))
        let absent = try finding(", speaker: xiaoxiao")
        #expect(absent.level == .amber)
        #expect(absent.detail.contains("speaker \"xiaoxiao\" of zh-CN is not installed; zh-CN-yunxi speaks instead"))
        #expect(absent.advice?.contains("soundbox setup") == true)
        let other = try finding(", locale: en-US")
        #expect(other.level == .red)

        // No package puts a shop's own copy right.
        try SmallFile.createFolders(folder.file("sounds/en-US"))
        try folder.write("locale: en-US\ncardinal: [", to: "sounds/en-US/voice.yaml")
        let damaged = try finding(", locale: en-US")
        #expect(damaged.level == .red && damaged.detail.contains("voice.yaml"))
        #expect(damaged.advice?.contains("--set voice.directory=/usr/share/soundbox/sounds") == true)
        #expect(damaged.advice?.contains("install") == false)

        // Yuan below ten are still told without it, so that a trial payment would not show it.
        let list = try SmallFile.read("\(own)/voice.yaml")
        try folder.write(
            list.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains(" text: 八,") }
                .joined(separator: "\n"),
            to: "sounds/zh-CN-yunxi/voice.yaml")
        let lacking = try finding("")
        #expect(lacking.level == .red && lacking.detail.contains(#"numbers: no recording covers "八""#))
    }

    @Test(
        "A running box that is muted or too soft for a shop is no green one, and the advice fits",
        arguments: [
            (80, nil, false, Finding.Level.green, nil), (20, nil, false, .green, nil), (80, 20, false, .green, nil),
            (19, nil, false, .amber, "run: soundbox volume 80"), (0, nil, false, .amber, "run: soundbox volume 80"),
            (80, 19, false, .amber, "change the quiet hours"), (80, 0, false, .amber, "change the quiet hours"),
            (80, nil, true, .amber, "run: soundbox volume unmute"),
        ] as [(Int, Int?, Bool, Finding.Level, String?)])
    func loudness(volume: Int, quietVolume: Int?, isMuted: Bool, level: Finding.Level, advice: String?) {
        var status = BoxStatus(isOnline: true, version: "1", voice: "zh-CN")
        (status.volume, status.quietVolume, status.isMuted) = (volume, quietVolume, isMuted)
        let finding = Doctor.finding(about: status)
        #expect(finding.level == level, "\(finding)")
        #expect(advice.map { finding.advice?.hasPrefix($0) == true } ?? (finding.advice == nil), "\(finding)")
    }

    @Test("A clock in the past is red, one that nobody keeps is amber")
    func clock() {
        #expect(SystemChecks.clock(now: 0, .synchronised).level == .red)
        #expect(SystemChecks.clock(now: Self.now, .notSynchronised).level == .amber)
        #expect(SystemChecks.clock(now: Self.now, .synchronised).level == .green)
        #expect(SystemChecks.clock(now: Self.now, .synchronised, box: .synchronised).level == .green)
    }

    @Test("A kernel that may not be asked, by doctor or by the running box, is told apart from one without a server")
    func unreadableClock() {
        let own = SystemChecks.clock(now: Self.now, .unknown(SystemError(code: EPERM)))
        #expect(own.level == .amber && own.detail.contains("Operation not permitted"))
        let box = SystemChecks.clock(now: Self.now, .synchronised, box: .unreadable)
        #expect(box.level == .amber && box.detail.contains("ProtectClock"))
        #expect(SystemClock.synchronisation.refusal == nil)
    }

    @Test(
        "The running box's own words count",
        arguments: [
            (#"{"state":"online","connection":"online","volume":80,"queued":0,"faults":[]}"#, Finding.Level.green),
            (#"{"state":"online","connection":"online","volume":0,"queued":0,"faults":[]}"#, .amber),
            (#"{"state":"offline","connection":"offline: no route","volume":80,"faults":[]}"#, .red),
            (#"{"state":"online","connection":"online","volume":80,"faults":["no sound card"]}"#, .red),
            (#"{"state":"online","volume":80,"faults":[],"warnings":["notices come with QoS 0"]}"#, .amber),
            (#"{"state":"online","volume":80,"faults":["no card"],"warnings":["notices come with QoS 0"]}"#, .red),
            (
                #"{"state":"online","volume":5,"faults":[],"warnings":["the volume is 5: payments may not be heard"]}"#,
                .amber
            ),
            (#"{"state":"offline","volume":80,"faults":[],"warnings":["another client uses its id"]}"#, .red),
        ])
    func runningBox(status: String, level: Finding.Level) throws {
        #expect(
            Doctor.finding(about: try #require(BoxStatus(decoding: JSONValue(parsing: Array(status.utf8))))).level
                == level)
    }

    @Test("Notices that were refused are amber, and the advice is about who sends them")
    func refusedNotices() throws {
        var status = BoxStatus(isOnline: true, version: "1", voice: "zh-CN")
        status.volume = 80
        status.faults = []
        let refused = RefusedNotices(
            count: 3,
            last: .init(
                id: try PaymentID("order-1"), reason: "amount: wrong", at: Timestamp(millisecondsSince1970: 0)))
        status.noticesRefused = refused
        status.warnings = [refused.warning]
        let finding = Doctor.finding(about: status)
        #expect(finding.level == .amber && finding.detail.hasSuffix(refused.warning))
        #expect(finding.advice?.contains("Why was nothing heard?") == true)
    }

    @Test("The report is as bad as its worst finding, and tells what to do")
    func report() {
        let report = DoctorReport(findings: [
            Finding("clock", .green, "right"), Finding("broker", .red, "gone", advice: "look for it"),
            Finding("disk", .amber, "fills up"),
        ])
        #expect(report.level == .red)
        #expect(
            report.text(colored: false)
                == "ok   clock   right\nBAD  broker  gone\n     → look for it\nlook disk    fills up")
        #expect(report.json["findings"] != nil)
        #expect(DoctorReport().level == .green)
    }

    @Test("The archive is one that tar reads")
    func archive() async throws {
        let folder = try TemporaryFolder()
        var archive = TarArchive()
        archive.add("a/one.txt", Array("one\n".utf8), time: Self.now)
        archive.add("a/empty.txt", [], time: Self.now)
        archive.add("a/block.txt", [UInt8](repeating: 65, count: 512), time: Self.now)
        try folder.write(archive.finished, to: "archive.tar")
        let list = try ChildProcess(["tar", "--list", "--file", folder.file("archive.tar")])
        #expect(try await list.output.all() == ["a/one.txt", "a/empty.txt", "a/block.txt"])
        #expect(try await list.exitStatus() == 0)
        let content = try ChildProcess([
            "tar", "--extract", "--to-stdout", "--file", folder.file("archive.tar"), "a/one.txt",
        ])
        #expect(try await content.output.all() == ["one"])
    }
}
