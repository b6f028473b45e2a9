import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxConfiguration
@testable import SoundboxSetup

/// One setup takes the place of another, whatever happens meanwhile.
extension SetupPlanTests {
    private static let authority = TestCertificate.indented(by: 4)
    /// Another file: that certificate twice.
    private static let authorities = authority + "\n    " + authority

    @Test("When one of its files cannot be written, all stay as they were")
    func allOrNone() throws {
        try plan().write()
        let names = try folder.names(in: "etc")
        let before = try names.map { try folder.read("etc/\($0)") }
        // The last one to be written.
        try #require(mkdir(folder.file("etc/soundbox.yaml.new"), 0o755) == 0)
        let changed = Self.provisioning.replacing("s3cret", with: "another").replacing("mq.", with: "mq2.")
        #expect(throws: (any Error).self) { try plan(changed).write() }
        try folder.remove("etc/soundbox.yaml.new")
        #expect(try names.map { try folder.read("etc/\($0)") } == before)
        #expect(try folder.names(in: "etc").filter { $0.hasSuffix(".new") } == [])
        try plan(changed).write()
        #expect(try Self.password(of: target) == "another")
    }

    @Test("Cut off before any of its steps on the disk, a new setup leaves the old one whole, and then is there itself")
    func cutOff() throws {
        let changed = Self.provisioning.replacing("s3cret", with: "another").replacing("mq.", with: "mq2.")
            .replacing(Self.authority, with: Self.authorities)
        try plan().write()
        let before = try SmallFile.read(target)
        let authority = try #require(Configuration(readingFile: target).broker.tls.caFile)
        let setup = try plan(changed)
        // As the writing goes: what is prepared first, then a rename for each file, soundbox.yaml's last.
        for count in 0..<setup.files.count {
            for file in setup.files {
                try SmallFile.prepare(file.path, with: file.content ?? "", mode: 0o600, owner: nil)
            }
            for file in setup.files.prefix(count) { try SmallFile.commit(file.path) }
            #expect(try SmallFile.read(target) == before)
            #expect(try Self.password(of: target) == "s3cret")
            #expect(try SmallFile.read(authority) == TestCertificate.text + "\n")
            // Whoever plans it anew plans the same.
            #expect(try plan(changed) == setup)
        }
        try plan(changed).write()
        #expect(try Self.password(of: target) == "another")
        // What was before is whole, too.
        rename(folder.file("etc/soundbox.yaml.old"), target)
        #expect(try SmallFile.read(target) == before)
        #expect(try Self.password(of: target) == "s3cret")
        #expect(try SmallFile.read(authority) == TestCertificate.text + "\n")
    }

    @Test("One of its files cannot be put in its place: the old setup is whole, and the error names the file")
    func inTheWay() throws {
        let changed = Self.provisioning.replacing("s3cret", with: "another")
            .replacing(Self.authority, with: Self.authorities)
        try plan().write()
        let before = try SmallFile.read(target)
        for file in try plan(changed).files where file.path != target {
            try #require(mkdir(file.path, 0o755) == 0)
            let error = #expect(throws: FileError.self) { try plan(changed).write() }
            #expect(error?.path == file.path)
            #expect(try SmallFile.read(target) == before)
            #expect(try Self.password(of: target) == "s3cret")
            rmdir(file.path)
        }
        try plan(changed).write()
        #expect(try Self.password(of: target) == "another")
    }

    @Test("A third setup takes the first one's place, and what stays the same stays where it is")
    func inTurn() throws {
        for password in ["s3cret", "another", "a third", "a fourth"] {
            try plan(Self.provisioning.replacing("s3cret", with: password)).write()
            #expect(try Self.password(of: target) == password)
            #expect(try plan(Self.provisioning.replacing("s3cret", with: password)).changes == [])
        }
        #expect(
            try folder.names(in: "etc").sorted() == [
                "broker-2.password", "broker-ca.pem", "broker.password", "soundbox.yaml", "soundbox.yaml.old",
            ])
        _ = try Provisioning.reset(target)
        #expect(try folder.names(in: "etc") == [])
    }

    @Test("What neither this setup nor the one before names is gone; what an administrator has put there is not")
    func forgotten() throws {
        let without = Self.provisioning.replacing("  password: s3cret\n", with: "").replacing(
            "  username: M1001.box-01\n", with: "")
        try plan().write()
        try folder.write("an administrator's", to: "etc/signing-next.key")
        try plan(without).write()
        #expect(SmallFile.exists(folder.file("etc/broker.password")))
        try plan(without.replacing("mq.", with: "mq2.")).write()
        #expect(
            try folder.names(in: "etc").sorted() == [
                "broker-ca.pem", "signing-next.key", "soundbox.yaml", "soundbox.yaml.old",
            ])
    }

    @Test("A setup that cannot be read may name any of its files: none of them is replaced")
    func unreadable() throws {
        try plan().write()
        let text = try SmallFile.read(target)
        try folder.write(text.replacing("password_file", with: "pasword_file"), to: "etc/soundbox.yaml")
        rename(target, Provisioning.resetMark(target))
        try folder.write(Array(text.utf8) + [0x23, 0xe4, 0x0a], to: "etc/soundbox.yaml")
        #expect(throws: (any Error).self) { try Provisioning.resetIfRequested(target) }
        #expect(try SmallFile.read(folder.file("etc/broker.password")) == "s3cret\n")
        try folder.write(text + "\tx: {\n", to: "etc/soundbox.yaml")
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        #expect(try Self.password(of: target) == "another")
        #expect(try SmallFile.read(folder.file("etc/broker.password")) == "s3cret\n")
    }

    @Test("A setup that was planned before another one was written is refused")
    func outdated() throws {
        try plan().write()
        let late = try plan(Self.provisioning.replacing("s3cret", with: "late"))
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        let error = #expect(throws: SetupError.self) { try late.write() }
        #expect(error?.description.contains("has changed since") == true)
        #expect(try Self.password(of: target) == "another")
        // What it names is the same file, and would be another one's by now.
        let document = try YAMLDocument(readingFile: target)
        let basis = InstalledSetup(target)
        try plan(Self.provisioning.replacing("s3cret", with: "third")).write()
        let dialogue = try SetupPlan(document, source: "dialogue", to: target, basis: basis)
        #expect(throws: SetupError.self) { try dialogue.write() }
        #expect(try Self.password(of: target) == "third")
    }

    @Test("The same setup again, with another mode on one of its files, leaves the way back open")
    func wayBack() throws {
        try plan().write()
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        chmod(target, 0o600)
        #expect(try plan(Self.provisioning.replacing("s3cret", with: "another")).write() == [target])
        rename(folder.file("etc/soundbox.yaml.old"), target)
        #expect(try Self.password(of: target) == "s3cret")
    }

    @Test("Setups, resets and exports at once leave one whole setup, or none")
    func atOnce() async throws {
        try plan().write()
        let target = target
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    try? await onOwnThread(named: "setup") {
                        for round in 0..<10 {
                            let text = Self.provisioning.replacing("s3cret", with: "p\(number)").replacing(
                                "mq.", with: "mq\(number).")
                            _ = try? SetupPlan(
                                try YAMLDocument(parsing: text, file: "in"), source: "in", to: target
                            ).write()
                            if round == number { _ = try? Provisioning.reset(target) }
                        }
                    }
                }
            }
        }
        if SmallFile.exists(target) {
            let host = try #require(Configuration(readingFile: target).broker.addresses.first?.host)
            let password = try Self.password(of: target)
            #expect(host == "mq\(password?.dropFirst() ?? "").example.com")
        }
        #expect(try folder.names(in: "etc").filter { $0.hasSuffix(".new") || $0.hasSuffix(".removed") } == [])
    }
}
