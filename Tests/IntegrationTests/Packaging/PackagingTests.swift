import Foundation
import SoundboxCore
import TestSupport
import Testing

/// The packages as `make deb` puts them together, from the debug binary, uncompressed, with one voice. Whether they
/// install, upgrade and purge is for `make deb-test`.
@Suite(
    "The packages hold what a box needs", .timeLimit(.minutes(10)),
    .enabled("needs dpkg-dev, binutils and python3, which `make deps` installs") { await toolsAreThere() })
struct PackagingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// One line of `dpkg-deb --contents`.
    private struct Member {
        var mode: String
        var owner: String
        var size: Int
        var path: String

        init?(_ line: String) {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, let size = Int(fields[2]) else { return nil }
            (mode, owner, self.size) = (String(fields[0]), String(fields[1]), size)
            path = String(fields[5].dropFirst())
        }
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let child = try ChildProcess(arguments)
        let output = try await child.output.all()
        guard try await child.exitStatus() == 0 else {
            throw TestFailure("\(arguments[0]): \(try await child.errors.all().joined(separator: "; "))")
        }
        return output
    }

    private func contents(_ package: String) async throws -> [String: Member] {
        let members = try await lines("dpkg-deb", "--contents", package).compactMap(Member.init)
        return Dictionary(members.map { ($0.path, $0) }) { first, _ in first }
    }

    private func fields(_ package: String) async throws -> [String: String] {
        var fields: [String: String] = [:]
        for line in try await lines("dpkg-deb", "--field", package) where line.first != " " {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return fields
    }

    @Test("Names, versions, dependencies, files and modes")
    func packages() async throws {
        let architecture = try await lines("dpkg", "--print-architecture")[0]
        try makeSpeaker()
        let build = try ChildProcess(
            [
                "\(Products.project)/provisioning/debian/build.sh", architecture, Products.soundbox,
                folder.file("packages"),
            ],
            environment: [
                "SOUNDBOX_DEB_COMPRESSION": "none", "SOUNDBOX_DEB_SOUNDS": folder.file("sounds"),
                "SOUNDBOX_DEB_VOICES": "zh-CN zh-CN-yunxi", "SOUNDBOX_DEB_VOICETOOLS": Products.voicetools,
                "SOUNDBOX_DEB_SPEAK": Products.speak, "SOUNDBOX_DEB_GATEWAY": Products.gateway,
            ])
        guard try await build.exitStatus() == 0 else {
            throw TestFailure("build.sh: \(try await build.errors.all().joined(separator: "; "))")
        }
        let version = SoundboxVersion.current
        let names = [
            "soundbox-gateway_\(version)_\(architecture).deb",
            "soundbox-speak_\(version)_\(architecture).deb", "soundbox-voice-zh-cn-yunxi_\(version)_all.deb",
            "soundbox-voice-zh-cn_\(version)_all.deb",
            "soundbox-voicetools_\(version)_\(architecture).deb", "soundbox_\(version)_\(architecture).deb",
        ]
        #expect(try folder.names(in: "packages") == names)
        try await gateway(folder.file("packages/\(names[0])"), version)
        try await speak(folder.file("packages/\(names[1])"), version, architecture)
        try await speaker(folder.file("packages/\(names[2])"))
        try await voice(folder.file("packages/\(names[3])"), version)
        try await voicetools(folder.file("packages/\(names[4])"), version, architecture)
        try await program(folder.file("packages/\(names[5])"), version, architecture)
    }

    /// The shipped voice, and beside it another speaker with the chime for a recording.
    private func makeSpeaker() throws {
        let own = folder.file("sounds/zh-CN-yunxi")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("sounds/zh-CN"), withDestinationPath: "\(Products.sounds)/zh-CN")
        try folder.write(
            "locale: zh-CN\nname: 普通话\nspeaker: {id: yunxi, name: 云希}\n", to: "sounds/zh-CN-yunxi/voice.yaml")
        try FileManager.default.copyItem(atPath: "\(Products.sounds)/zh-CN/chime.opus", toPath: "\(own)/chime.opus")
    }

    private func speaker(_ package: String) async throws {
        let fields = try await fields(package)
        #expect(fields["Package"] == "soundbox-voice-zh-cn-yunxi")
        // It works alone, and beside the language's own.
        #expect(fields["Provides"] == "soundbox-voice" && fields["Depends"] == nil && fields["Conflicts"] == nil)
        #expect(fields["Description"] == "payment sound box, voice zh-CN-yunxi")
        let info = try await lines("dpkg-deb", "--info", package)
        #expect(info.contains { $0.contains("speaks 普通话 (zh-CN-yunxi), spoken by 云希.") })
        let files = try await contents(package).keys.filter {
            $0.hasPrefix("/usr/share/soundbox/") && !$0.hasSuffix("/")
        }
        #expect(
            files.sorted() == ["chime.opus", "voice.yaml"].map { "/usr/share/soundbox/sounds/zh-CN-yunxi/\($0)" })
    }

    private func voice(_ package: String, _ version: String) async throws {
        let fields = try await fields(package)
        #expect(fields["Package"] == "soundbox-voice-zh-cn")
        #expect(fields["Version"] == version)
        #expect(fields["Architecture"] == "all")
        #expect(fields["Provides"] == "soundbox-voice")
        #expect(fields["Breaks"] == "soundbox (<< \(version))")
        let members = try await contents(package)
        expectOrdinaryModes(members)
        let sounds = "/usr/share/soundbox/sounds/zh-CN"
        let source = try FileManager.default.contentsOfDirectory(atPath: "\(Products.sounds)/zh-CN")
            .filter { $0.hasSuffix(".opus") || $0 == "voice.yaml" }
        #expect(source.count > 100)
        for name in source { #expect(members["\(sounds)/\(name)"]?.mode == "-rw-r--r--", "\(name)") }
    }

    /// It is of the box's version, and brings what it starts.
    private func speak(_ package: String, _ version: String, _ architecture: String) async throws {
        let fields = try await fields(package)
        #expect(fields["Package"] == "soundbox-speak" && fields["Version"] == version)
        #expect(fields["Architecture"] == architecture)
        let depends = fields["Depends"]?.components(separatedBy: ", ") ?? []
        for name in ["libc6", "libcurl4", "libsndfile1", "espeak-ng", "ca-certificates", "soundbox (= \(version))"] {
            #expect(depends.contains { $0.hasPrefix(name) }, "\(name) is not in \(depends)")
        }
        for library in ["libasound2", "libsoxr0", "libsqlite3-0", "libmosquitto1"] {
            #expect(!depends.contains { $0.hasPrefix(library) }, "\(library) is in \(depends)")
        }
        let members = try await contents(package)
        expectOrdinaryModes(members)
        #expect(members["/usr/bin/soundbox-speak"]?.mode == "-rwxr-xr-x")
        for path in [
            "/usr/share/man/man1/soundbox-speak.1.gz", "/usr/share/man/man1/soundbox-speak-decode.1.gz",
            "/usr/share/bash-completion/completions/soundbox-speak",
            "/usr/share/zsh/vendor-completions/_soundbox-speak",
            "/usr/share/fish/vendor_completions.d/soundbox-speak.fish",
        ] {
            #expect(members[path]?.mode == "-rw-r--r--" && members[path]?.size ?? 0 > 20, "\(path)")
        }
    }

    /// A payment system's server has nothing of a box.
    private func gateway(_ package: String, _ version: String) async throws {
        let fields = try await fields(package)
        #expect(fields["Package"] == "soundbox-gateway" && fields["Version"] == version)
        #expect(fields["Depends"]?.contains("libmosquitto1") == true)
        #expect(fields["Depends"]?.contains("libasound2") == false)
        let members = try await contents(package)
        expectOrdinaryModes(members)
        #expect(members["/usr/bin/soundbox-gateway"]?.mode == "-rwxr-xr-x")
        for path in [
            "/usr/lib/systemd/system/soundbox-gateway.service", "/usr/lib/sysusers.d/soundbox-gateway.conf",
            "/usr/share/doc/soundbox-gateway/gateway.md", "/usr/share/doc/soundbox-gateway/gateway-api.yaml",
            "/usr/share/doc/soundbox-gateway/examples/hooks/stripe.yaml",
            "/usr/share/man/man1/soundbox-gateway.1.gz",
        ] { #expect(members[path]?.mode == "-rw-r--r--", "\(path)") }
    }

    /// An author's computer needs neither a box nor what plays its sound.
    private func voicetools(_ package: String, _ version: String, _ architecture: String) async throws {
        let fields = try await fields(package)
        #expect(fields["Package"] == "soundbox-voicetools" && fields["Version"] == version)
        #expect(fields["Architecture"] == architecture && fields["Enhances"] == "soundbox")
        let depends = fields["Depends"]?.components(separatedBy: ", ") ?? []
        for library in ["libc6", "libebur128-1", "libicu", "libopus0", "libsndfile1", "libsonic0", "libsoxr0"] {
            #expect(depends.contains { $0.hasPrefix(library) }, "\(library) is not in \(depends)")
        }
        for library in ["soundbox", "libasound2", "libgpiod", "libmosquitto1", "libsqlite3-0"] {
            #expect(!depends.contains { $0.hasPrefix(library) }, "\(library) is in \(depends)")
        }
        let members = try await contents(package)
        expectOrdinaryModes(members)
        #expect(members["/usr/bin/soundbox-voicetools"]?.mode == "-rwxr-xr-x")
        for path in [
            "/usr/share/doc/soundbox-voicetools/voice-authoring.md", "/usr/share/man/man1/soundbox-voicetools.1.gz",
            "/usr/share/man/man1/soundbox-voicetools-check.1.gz",
            "/usr/share/bash-completion/completions/soundbox-voicetools",
            "/usr/share/zsh/vendor-completions/_soundbox-voicetools",
            "/usr/share/fish/vendor_completions.d/soundbox-voicetools.fish",
        ] {
            #expect(members[path]?.mode == "-rw-r--r--" && members[path]?.size ?? 0 > 20, "\(path)")
        }
    }

    private func program(_ package: String, _ version: String, _ architecture: String) async throws {
        let fields = try await fields(package)
        #expect(fields["Package"] == "soundbox")
        #expect(fields["Version"] == version)
        #expect(fields["Architecture"] == architecture)
        let depends = fields["Depends"]?.components(separatedBy: ", ") ?? []
        for library in [
            "libasound2", "libc6", "libgpiod", "libmosquitto1", "libsndfile1", "libsonic0", "libsoxr0",
            "libsqlite3-0", "libssl3", "libcurl4", "libqrencode4",
            "soundbox-voice-zh-cn | soundbox-voice", "ca-certificates", "systemd",
        ] { #expect(depends.contains { $0.hasPrefix(library) }, "\(library) is not in \(depends)") }
        for library in ["libebur128", "libicu", "libopus0"] {
            #expect(!depends.contains { $0.hasPrefix(library) }, "only voice authors need \(library): \(depends)")
        }

        #expect(fields["Recommends"]?.hasPrefix("soundbox-speak, ") == true)
        #expect(fields["Suggests"]?.contains("espeak-ng") == false, "that is soundbox-speak's")

        // Nothing below /etc: what setup writes there is nobody's to ask about at an update.
        let control = try await lines("dpkg-deb", "--info", package)
        #expect(!control.contains { $0.contains("conffiles") })
        let scripts = folder.file("control")
        try await ChildProcess.run("dpkg-deb", "--control", package, scripts)
        #expect(
            try folder.names(in: "control") == [
                "control", "md5sums", "postinst", "postrm", "preinst", "prerm", "triggers",
            ])
        #expect(
            try await lines("grep", "-v", "^#", "\(scripts)/triggers") == [
                "interest-noawait /usr/share/soundbox/sounds", "interest-noawait /usr/bin/soundbox-speak",
                "interest-noawait /usr/bin/espeak-ng",
            ])
        for script in ["preinst", "postinst", "postrm", "prerm"] {
            try await ChildProcess.run("sh", "-n", "\(scripts)/\(script)")
            #expect(access("\(scripts)/\(script)", X_OK) == 0)
        }

        let members = try await contents(package)
        expectOrdinaryModes(members)
        #expect(!members.keys.contains { $0.hasPrefix("/etc/") })
        #expect(members["/usr/bin/soundbox"]?.mode == "-rwxr-xr-x")
        let doc = "/usr/share/doc/soundbox"
        for path in [
            "/usr/lib/systemd/system/soundbox.service", "/usr/lib/systemd/system/soundbox-first-boot.service",
            "/usr/lib/systemd/system/soundbox-wifi.service", "/usr/lib/systemd/system/soundbox-enrol.service",
            "/usr/lib/sysusers.d/soundbox.conf", "/usr/lib/tmpfiles.d/soundbox.conf",
            "/usr/lib/udev/rules.d/60-soundbox-gpio.rules", "/usr/share/soundbox/board/raspberry-pi.yaml",
            "/usr/share/soundbox/mappings/yuan-string.yaml", "\(doc)/copyright", "\(doc)/changelog.gz",
            "\(doc)/CHANGELOG.md", "\(doc)/features.md", "\(doc)/install.md", "\(doc)/operations.md",
            "\(doc)/messages.md",
            "\(doc)/configuration.md", "\(doc)/integration.md", "\(doc)/security.md",
            "\(doc)/examples/broker/mosquitto.conf", "\(doc)/examples/broker/rabbitmq/rabbitmq.conf",
            "/usr/share/bash-completion/completions/soundbox",
            "/usr/share/zsh/vendor-completions/_soundbox", "/usr/share/fish/vendor_completions.d/soundbox.fish",
            "/usr/share/man/man1/soundbox.1.gz", "/usr/share/man/man1/soundbox-setup-import.1.gz",
        ] {
            let member = members[path]
            #expect(member?.mode == "-rw-r--r--" && member?.size ?? 0 > 20, "\(path)")
        }
        for script in ["broker/make-acl.sh", "enrolment/issuer.py"] {
            #expect(members["\(doc)/examples/\(script)"]?.mode == "-rwxr-xr-x")
        }

        #expect(!members.keys.contains { $0.contains("soundbox-voice-check") }, "moved commands have no pages")
        try await ChildProcess.run("dpkg-deb", "--extract", package, folder.file("root"))
        let page = try await lines("gzip", "-dc", folder.file("root/usr/share/man/man1/soundbox-say.1.gz"))
        #expect(page.contains { $0.contains("\\-\\-currency") })
        #expect(page.contains { $0.hasPrefix(".TH \"SOUNDBOX-SAY\" 1 ") && $0.contains(version) })
    }

    /// Of root, writable by nobody else, with nobody's rights but one's own.
    private func expectOrdinaryModes(_ members: [String: Member]) {
        for member in members.values {
            #expect(member.owner == "root/root", "\(member.path)")
            #expect(["drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"].contains(member.mode), "\(member.path) \(member.mode)")
        }
    }
}

@Suite("The unit of the service")
struct UnitTests {
    private let unit: [(key: String, value: String)]

    init() throws {
        let text = try String(
            contentsOfFile: "\(Products.project)/provisioning/systemd/soundbox.service", encoding: .utf8)
        unit = text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            return line.first == "#" || parts.count != 2 ? nil : (parts[0], parts[1])
        }
    }

    private func values(_ key: String) -> [String] { unit.filter { $0.key == key }.map(\.value) }

    @Test("Sound cards are allowed by their number: their name means nothing while no sound module is loaded")
    func lateCard() {
        // Dynamic or not, a name is looked up in /proc/devices once, when the unit starts. GPIO is part of every kernel.
        #expect(values("DeviceAllow") == ["char-116 rw", "char-gpiochip rw"])
    }

    @Test("The box may execute itself and its helper, which may be missing, and the helper espeak-ng")
    func executables() {
        #expect(values("NoExecPaths") == ["/"])
        let programs = values("ExecPaths").flatMap { $0.split(separator: " ") }.filter { $0.contains("bin/") }
        #expect(programs == ["/usr/bin/soundbox", "-/usr/bin/soundbox-speak", "-/usr/bin/espeak-ng"])
    }

    @Test("A decoder or a synthesiser that takes too much memory ends alone, and not the box")
    func memory() {
        #expect(values("MemoryMax") == ["512M"])
        // By itself systemd stops a service of which one process was killed for its memory.
        #expect(values("OOMPolicy") == ["continue"])
    }

    @Test("The sound thread may have its real time, and not for longer than it needs it")
    func realTime() throws {
        #expect(values("LimitRTPRIO") == ["10"])
        #expect(values("RestrictRealtime").isEmpty)
        #expect(values("LimitRTTIME") == ["2s:10s"])
        #expect(values("LimitNICE") == ["-11"])
        let filters = values("SystemCallFilter")
        let closed = try #require(filters.firstIndex { $0.hasPrefix("~") && $0.contains("@resources") })
        // libdispatch sets a nice value for each of its threads, and complains in the journal when it cannot.
        for call in ["sched_setscheduler", "setpriority"] {
            #expect(filters[(closed + 1)...].contains { $0.split(separator: " ").contains { $0 == call } }, "\(call)")
        }
    }
}

private func toolsAreThere() async -> Bool {
    for tool in ["dpkg-deb", "dpkg-shlibdeps", "strip", "python3"] {
        guard (try? await ChildProcess.run(tool, "--version")) != nil else { return false }
    }
    return true
}
