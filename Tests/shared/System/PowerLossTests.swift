import Testing

@testable import SoundboxSystem

@Suite("What a power cut does to a folder")
struct PowerLossTests {
    private static func loss(_ path: String, _ mounts: String, id: String? = nil) -> PowerLoss {
        PowerLoss(path: path, mountID: id, table: MountTable(parsing: mounts))
    }

    private static let disk = "25 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw\n"

    @Test("A disk keeps them", arguments: ["/", "/var/lib/soundbox", "/tmp"])
    func disk(path: String) {
        #expect(Self.loss(path, Self.disk) == .kept)
        #expect(Self.loss(path, "") == .kept)
        #expect(Self.loss(path, "nonsense\n - \n1 2 3 - x y\n") == .kept)
    }

    @Test(
        "RAM does not, whatever it is called",
        arguments: [
            "40 25 0:35 / /var/lib/soundbox rw - tmpfs tmpfs rw,size=4k",
            "40 25 0:35 / /var/lib rw shared:9 master:3 - ramfs none rw",
            "40 25 254:0 / /var/lib/soundbox rw - ext4 /dev/zram0 rw", "40 25 1:0 / /var rw - ext2 /dev/ram0 rw",
            "40 25 0:2 / / rw - rootfs rootfs rw,size=400k",
        ])
    func memory(mount: String) throws {
        let point = mount.split(separator: " ")[4]
        guard case .gone(let reason) = Self.loss("/var/lib/soundbox", Self.disk + mount + "\n") else {
            Issue.record("kept")
            return
        }
        #expect(reason.hasPrefix("\(point) is in RAM ("))
        #expect(Self.loss("/etc/soundbox", Self.disk + mount + "\n") == (point == "/" ? .gone(reason) : .kept))
    }

    /// As Debian's package overlayroot, which raspi-config uses, leaves them.
    private static let overlayRoot = """
        23 1 0:22 / / rw,relatime shared:1 - overlay overlayroot rw,lowerdir=/media/root-ro,\
        upperdir=/media/root-rw/overlay,workdir=/media/root-rw/overlay-workdir/_
        30 23 179:2 / /media/root-ro ro,relatime shared:2 - ext4 /dev/mmcblk0p2 ro
        31 23 0:21 / /media/root-rw rw,relatime shared:3 - tmpfs tmpfs-root rw

        """

    @Test("An overlay does what its upper layer's file system does")
    func overlay() {
        guard case .gone(let reason) = Self.loss("/var/lib/soundbox", Self.overlayRoot) else {
            Issue.record("kept")
            return
        }
        #expect(reason.contains("/ is an overlay") && reason.contains("/media/root-rw is in RAM (tmpfs)"))
        let onDisk = Self.overlayRoot.replacing(
            "- tmpfs tmpfs-root rw", with: "- ext4 /dev/sda1 rw")
        #expect(Self.loss("/var/lib/soundbox", onDisk) == .kept)
        // A service's sandbox binds the folder onto itself.
        let bound =
            "77 23 0:22 /var/lib/soundbox /var/lib/soundbox rw - overlay overlayroot rw,upperdir=/media/root-rw/overlay\n"
        #expect(
            Self.loss("/var/lib/soundbox", Self.overlayRoot + bound, id: "77")
                == .gone(reason.replacing("/ is an", with: "/var/lib/soundbox is an")))
        // A partition that stays writable.
        let partition = "50 23 179:3 / /var/lib/soundbox rw - ext4 /dev/mmcblk0p3 rw\n"
        #expect(Self.loss("/var/lib/soundbox", Self.overlayRoot + partition) == .kept)
    }

    @Test("An upper layer to which no path leads is in the RAM of the start, or a container's")
    func hiddenUpperLayer() {
        let mounts = "23 1 0:22 / / rw - overlay overlay rw,lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work\n"
        guard case .gone(let reason) = Self.loss("/var/lib/soundbox", mounts) else {
            Issue.record("kept")
            return
        }
        #expect(reason.contains("out of sight"))
    }

    @Test("Folders for what need not last are no surprise")
    func temporary() {
        let mounts = Self.disk + "40 25 0:35 / /tmp rw - tmpfs tmpfs rw\n41 25 0:36 / /run rw - tmpfs tmpfs rw\n"
        #expect(Self.loss("/tmp/trial/state", mounts) == .expected("/tmp is in RAM (tmpfs)"))
        #expect(Self.loss("/run/soundbox", mounts) == .expected("/run is in RAM (tmpfs)"))
        #expect(Self.loss("/runs/soundbox", mounts) == .kept)
    }

    @Test("The last mount on a point counts, and blanks in its name are read")
    func order() {
        let mounts =
            Self.disk + "40 25 0:35 / /my\\040box rw - tmpfs tmpfs rw\n41 40 8:1 / /my\\040box rw - ext4 /dev/sda1 rw\n"
        #expect(Self.loss("/my box/state", mounts) == .kept)
        #expect(Self.loss("/my box/state", mounts, id: "40") != .kept)
    }

    @Test("On this machine: /dev/shm is in RAM, and what is not there counts as its nearest folder does")
    func thisMachine() {
        guard case .expected = PowerLoss(in: "/dev/shm/no/such/folder") else {
            Issue.record("/dev/shm is not in RAM")
            return
        }
        #expect(PowerLoss(in: "/sys") == .kept)
    }
}
