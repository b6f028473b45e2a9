import SoundboxCore
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
                "printf 'merchant_id: M1001\\ndevice_id: box-77\\nbroker: {url: \"mqtt://127.0.0.1\"}\\n' "
                    + ">/mnt/soundbox/provisioning.yaml; umount /mnt")
            try await debian.run("echo '/dev/vdb /boot/firmware vfat defaults 0 2' >>/etc/fstab")
            try await debian.reboot()

            try await debian.run("mountpoint -q /boot/firmware")
            try await debian.wait(until: "soundbox status --json | grep -q '\"state\":\"online\"'")
            #expect(try await debian.status.deviceID == "box-77")
            #expect(try await debian.run("ls /boot/firmware/soundbox") == [])
        }
    }
}
