import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxConfiguration
@testable import SoundboxSetup

/// How a setup goes, also when that is cut off or something is in the way.
extension SetupPlanTests {
    @Test("A reset that was cut off anywhere is finished by the next start, and by the next setup before it writes")
    func resetCutOff() throws {
        let document = Self.provisioning + "state_directory: \(folder.file("state"))\n"
        try #require(mkdir(folder.file("state"), 0o755) == 0)
        for next in ["start", "setup"] {
            try plan(document).write()
            try folder.write("7\n", to: "state/volume")
            // What the reset begins with, and a kill.
            rename(target, Provisioning.resetMark(target))
            unlink(folder.file("etc/broker-ca.pem"))
            switch next {
            case "start":
                let removed = try Provisioning.resetIfRequested(target)
                #expect(removed == [target, folder.file("etc/broker.password"), folder.file("state/volume")])
                #expect(try folder.names(in: "etc") == [])
            default:
                try plan(document.replacing("s3cret", with: "the next owner's")).write()
                #expect(try Self.password(of: target) == "the next owner's")
                #expect(
                    try folder.names(in: "etc").sorted() == ["broker-ca.pem", "broker.password", "soundbox.yaml"])
            }
            #expect(!SmallFile.exists(folder.file("state/volume")))
        }
    }

    @Test("What a setup names that was written by hand amid a reset is not removed with the old one")
    func writtenByHand() throws {
        try plan().write()
        try plan(Self.provisioning.replacing("s3cret", with: "another")).write()
        let text = try SmallFile.read(target)
        rename(target, Provisioning.resetMark(target))
        try SmallFile.replace(target, with: text, mode: 0o640, owner: nil)
        _ = try Provisioning.resetIfRequested(target)
        #expect(try Self.password(of: target) == "another")
        #expect(
            try folder.names(in: "etc").sorted() == ["broker-2.password", "broker-ca.pem", "soundbox.yaml"])
        // One that cannot be read names anything, and the reset waits until it can be.
        rename(target, Provisioning.resetMark(target))
        try folder.write("broker: {", to: "etc/soundbox.yaml")
        #expect(throws: (any Error).self) { try Provisioning.resetIfRequested(target) }
        #expect(SmallFile.exists(folder.file("etc/broker-2.password")))
        #expect(SmallFile.exists(Provisioning.resetMark(target)))
        unlink(target)
        #expect(try Provisioning.resetIfRequested(target).contains(target))
        #expect(try folder.names(in: "etc") == [])
    }

    @Test("What was set at a box whose soundbox.yaml was written by hand amid a reset stays; the old setup's key goes")
    func setByHand() throws {
        let state = folder.file("state")
        try #require(mkdir(state, 0o755) == 0)
        let identity =
            "{url: mqtts://mq.example.com, cert_file: \(state)/identity.pem, key_file: \(state)/identity.pem}"
        let heading = "merchant_id: M1001\ndevice_id: box-01\nstate_directory: \(state)\n"
        for keepsIdentity in [true, false] {
            try plan().write()
            try folder.write(heading + "broker: \(identity)\n", to: "etc/soundbox.yaml")
            rename(target, Provisioning.resetMark(target))
            let broker = keepsIdentity ? identity : "{url: mqtt://127.0.0.1}"
            try folder.write(heading + "broker: \(broker)\n", to: "etc/soundbox.yaml")
            for name in ["identity.pem", "identity.pem.previous", "volume", "quiet_hours"] {
                try folder.write("7\n", to: "state/\(name)")
            }
            let removed = try Provisioning.resetIfRequested(target)
            #expect(!removed.contains(target))
            #expect(
                try folder.names(in: "state").sorted()
                    == (keepsIdentity ? ["identity.pem", "identity.pem.previous"] : []) + ["quiet_hours", "volume"])
        }
    }

    @Test("A folder in the place of one of its files is none of them, and holds up neither a reset nor the next setup")
    func folderInThePlace() throws {
        let document = Self.provisioning + "state_directory: \(folder.file("state"))\n"
        try plan(document).write()
        unlink(folder.file("etc/broker-ca.pem"))
        for name in ["etc/broker-ca.pem", "state", "state/volume", "etc/soundbox.yaml.old"] {
            try #require(mkdir(folder.file(name), 0o755) == 0)
        }
        #expect(try Provisioning.reset(target) == [target, folder.file("etc/broker.password")])
        rmdir(folder.file("etc/soundbox.yaml.old"))
        try plan(document).write()
        #expect(try Self.password(of: target) == "s3cret")
        #expect(try Configuration(readingFile: target).broker.tls.caFile == folder.file("etc/broker-ca-2.pem"))
    }

    @Test("A reset also removes what a kill has left of a setup")
    func resetOfLeftovers() throws {
        try plan().write()
        try folder.write("s3cret\n", to: "etc/broker.password.new")
        _ = try Provisioning.reset(target)
        #expect(try folder.names(in: "etc") == [])
    }
}
