import Glibc
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxSetup

/// Real users and groups, by number.
@Suite("Whose the setup's files are", .enabled("needs root") { geteuid() == 0 })
struct SetupOwnersTests {
    private static let box: uid_t = 54_321
    private static let group: gid_t = 54_322

    private let folder: TemporaryFolder
    private var target: String { folder.file("etc/soundbox.yaml") }
    private let owners = SetupOwners(
        files: FileOwners(
            settings: FileOwner(user: 0, group: group), secrets: FileOwner(user: box, group: group)),
        service: ServiceView(user: ServiceUser(name: "box", user: box, groups: [group]), hidden: []))

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
    }

    private static let least = """
        merchant_id: M
        device_id: b
        broker: {url: "mqtts://h", username: u, password: s3cret}

        """

    private func plan(_ text: String = least) throws -> SetupPlan {
        try SetupPlan(try YAMLDocument(parsing: text, file: "in.yaml"), source: "in.yaml", to: target)
    }

    /// As `sudo soundbox setup` plans it once more, with Enter at every question.
    private func again() throws -> SetupPlan {
        try SetupPlan(try YAMLDocument(readingFile: target), source: target, to: target)
    }

    private func attributes(_ name: String) -> String {
        var attributes = stat()
        guard lstat(folder.file(name), &attributes) == 0 else { return "missing" }
        return "\(attributes.st_uid):\(attributes.st_gid) \(String(attributes.st_mode & 0o7777, radix: 8))"
    }

    /// As an administrator's editor or `sudo cp` leaves it.
    private func makeRoots(_ name: String, mode: mode_t) {
        chown(folder.file(name), 0, 0)
        chmod(folder.file(name), mode)
    }

    @Test("What somebody made with sudo is given back: owner, group and mode of every file and of the folder")
    func givenBack() throws {
        _ = try plan(Self.least + "authenticity: {key: 0123456789abcdef0123456789abcdef}\n").write(for: owners)
        try folder.write(
            String(decoding: folder.read("etc/soundbox.yaml"), as: UTF8.self) + "# the back door's box\n",
            to: "etc/soundbox.yaml")
        makeRoots("etc/soundbox.yaml", mode: 0o600)
        makeRoots("etc/broker.password", mode: 0o600)
        makeRoots("etc/signing.key", mode: 0o644)
        makeRoots("etc", mode: 0o700)

        let changed = try again().write(for: owners)
        #expect(
            Set(changed) == [target, folder.file("etc/broker.password"), folder.file("etc/signing.key")], "\(changed)")
        #expect(attributes("etc") == "0:54322 750")
        #expect(attributes("etc/soundbox.yaml") == "0:54322 640")
        #expect(attributes("etc/broker.password") == "54321:54322 600")
        #expect(attributes("etc/signing.key") == "54321:54322 600")
        #expect(try folder.read("etc/broker.password") == Array("s3cret\n".utf8))
        #expect(String(decoding: try folder.read("etc/soundbox.yaml"), as: UTF8.self).contains("back door"))
        #expect(try again().changes(for: owners) == [])
    }

    @Test(
        "A wrong group alone is noticed, and so is a wrong user alone", arguments: [(0, 0), (54_321, 0), (0, 54_322)])
    func oneOfBoth(user: uid_t, group: gid_t) throws {
        _ = try plan().write(for: owners)
        chown(folder.file("etc/broker.password"), user, group)
        #expect(try again().changes(for: owners).map(\.path) == [folder.file("etc/broker.password")])
        #expect(try plan().changes(for: owners).map(\.path) == [folder.file("etc/broker.password")])
    }

    @Test("What a link leads to stays whose it is")
    func link() throws {
        _ = try plan().write(for: owners)
        let elsewhere = try folder.write("s3cret\n", to: "elsewhere")
        chmod(elsewhere, 0o640)
        chown(elsewhere, 0, Self.group)
        unlink(folder.file("etc/broker.password"))
        symlink(elsewhere, folder.file("etc/broker.password"))
        #expect(try again().write(for: owners) == [])
        #expect(attributes("elsewhere") == "0:54322 640")
    }

    @Test("A file that root can read and the box cannot is refused before anything is written")
    func unreadable() throws {
        let authority = try folder.write("x", to: "ca.pem")
        chmod(authority, 0o600)
        let text = """
            merchant_id: M
            device_id: b
            broker: {url: "mqtts://h", ca_file: "\(authority)"}

            """
        let error = #expect(throws: SetupError.self) { try plan(text).write(for: owners) }
        #expect(
            error?.description
                == "\(authority): the box, which runs as the user box, cannot read it: Permission denied")
        #expect(attributes("etc") == "missing")
        chmod(authority, 0o644)
        #expect(try plan(text).write(for: owners) == [target])
    }

    @Test("A file that the unit hides from the box is refused, by whatever name it is called")
    func hidden() throws {
        mkdir(folder.file("home"), 0o755)
        try folder.write("x", to: "home/ca.pem")
        symlink(folder.file("home/ca.pem"), folder.file("link.pem"))
        var owners = owners
        owners.service?.hidden = [folder.file("home")]
        for name in ["home/ca.pem", "link.pem"] {
            let text = "merchant_id: M\ndevice_id: b\nbroker: {url: \"mqtts://h\", ca_file: \"\(folder.file(name))\"}\n"
            let error = #expect(throws: SetupError.self) { try plan(text).write(for: owners) }
            #expect(error?.description.contains("the service does not see \(folder.file("home"))") == true)
        }
    }

    @Test("A setup that the box cannot reach in the end says so")
    func unreachable() throws {
        chmod(folder.path, 0o700)
        let error = #expect(throws: SetupError.self) { try plan().write(for: owners) }
        #expect(
            error?.description.hasPrefix("the setup is written, but \(folder.file("etc/broker.password")): ") == true)
    }

    @Test("Only in the package's own folder is a file given to somebody; a trial leaves files as they are")
    func trial() throws {
        var trial = owners
        trial.service = nil
        _ = try plan().write(for: trial)
        makeRoots("etc/broker.password", mode: 0o640)
        makeRoots("etc", mode: 0o700)
        #expect(try again().write(for: trial) == [])
        #expect(attributes("etc/broker.password") == "0:0 640" && attributes("etc") == "0:0 700")
    }
}
