import SoundboxCore
import Testing

extension BootedDebianTests {
    @Suite("The disk of a box", .serialized, .timeLimit(.minutes(15)), OnBootedDebian(), .onlyInDebianTest)
    struct StorageTests {
        private let debian: BootedDebian

        init() throws { debian = try #require(BootedDebian.current) }

        @Test(
            "A state directory that is read-only at the start is told as a fault, and what waited is spoken when cured")
        func readOnly() async throws {
            // A file system of its own: the sandbox would make a mere bind mount writable.
            try await debian.run(
                "systemctl stop soundbox; card_in; truncate -s 64M /state.img; mkfs.ext4 -q /state.img")
            try await debian.run(
                "mount -o loop /state.img /var/lib/soundbox; chown soundbox: /var/lib/soundbox; chmod 750 /var/lib/soundbox"
            )
            try await debian.run("mount -o remount,ro /var/lib/soundbox; mark")
            try await debian.run("systemctl start soundbox --no-block")
            try await debian.wait(until: "faulty")
            #expect(try await debian.status.faults?.contains { $0.lowercased().contains("read-only") } == true)

            // The sandbox of the running box keeps the mount as it was.
            try await debian.run("mount -o remount,rw /var/lib/soundbox; systemctl restart soundbox --no-block")
            try await debian.wait(until: "in_order")
            try await debian.pay("S-1", "3")
            try await debian.logged("announced id=S-1")
        }
    }
}
