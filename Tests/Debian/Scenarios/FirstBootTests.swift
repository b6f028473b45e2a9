import Foundation
import SoundboxCore
import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("The first boot", .timeLimit(.minutes(15)), .onlyInDebianTest)
    struct FirstBootTests {
        @Test("A box takes over the provisioning file of its FAT partition, and removes it")
        func provisioned() async throws {
            let debian = try await BootedDebian(disks: [try await DebianDisk.fat()])
            try await debian.boot()
            // As somebody does at another computer, and then puts the card into the box.
            try await debian.run("soundbox setup reset --yes; mount /dev/vdb /mnt; mkdir /mnt/soundbox")
            try await debian.run(
                "printf 'merchant_id: M1001\\ndevice_id: box-77\\nbroker: {url: \"mqtt://127.0.0.1\"}\\n...\\n' "
                    + ">/mnt/soundbox/provisioning.yaml; umount /mnt")
            try await debian.run("echo '/dev/vdb /boot/firmware vfat defaults 0 2' >>/etc/fstab")
            try await debian.reboot()

            try await debian.run("mountpoint -q /boot/firmware")
            try await debian.wait(until: "soundbox status --json | grep -q '\"state\":\"online\"'")
            #expect(try await debian.status.deviceID == "box-77")
            #expect(try await debian.run("ls /boot/firmware/soundbox") == [])
        }

        @Test("A box with a claim on its FAT partition is enrolled by its service, and goes on with its certificate")
        func enrolled() async throws {
            let debian = try await BootedDebian(disks: [try await DebianDisk.fat()])
            try await debian.boot()
            let script = try Data(contentsOf: URL(filePath: "\(DebianImage.project)/Tests/Debian/Guest/issuer.sh"))
            try await debian.run("echo \(script.base64EncodedString()) | base64 -d >/usr/local/bin/issuer")
            try await debian.run("chmod 755 /usr/local/bin/issuer; issuer prepare >/dev/null 2>&1")
            try await debian.run("soundbox setup reset --yes; mount /dev/vdb /mnt; mkdir /mnt/soundbox")
            try await debian.run("issuer claim >/mnt/soundbox/claim.yaml; umount /mnt")
            try await debian.run("echo '/dev/vdb /boot/firmware vfat defaults 0 2' >>/etc/fstab")
            try await debian.reboot()

            do { try await debian.wait(until: "soundbox status --json | grep -q '\"state\":\"online\"'") } catch {
                let log = try await debian.run("journalctl -u soundbox-enrol -u soundbox-first-boot -u issuer -o cat")
                throw TestFailure("\(error); enrolment: \(log.suffix(30).joined(separator: "\n"))")
            }
            #expect(try await debian.status.deviceID == "box-88")
            #expect(try await debian.status.certificate?.end != nil)
            #expect(try await debian.run("ls /boot/firmware/soundbox") == [])
            let files = try await debian.run("cd /etc/soundbox; stat -c '%n %U:%G %a' * /var/lib/soundbox/identity.pem")
            #expect(
                files == [
                    "issuer.pem root:soundbox 644", "soundbox.yaml root:soundbox 640",
                    "/var/lib/soundbox/identity.pem soundbox:soundbox 600",
                ])
            #expect(try await debian.run("systemctl --failed --quiet --plain --no-legend") == [])
        }
    }
}
