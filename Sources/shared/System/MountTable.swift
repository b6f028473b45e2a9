/// The mounted file systems, as proc_pid_mountinfo(5) lists them.
struct MountTable {
    struct Mount {
        var id: String
        var point: String
        var type: String
        /// The device, or what was given in its place.
        var source: String
        /// Options of the file system itself.
        var options: [Substring]
    }

    /// In the order of mounting.
    let mounts: [Mount]

    init(parsing text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            // The number of fields before the dash differs.
            let halves = line.split(separator: " - ", maxSplits: 1)
            guard halves.count == 2 else { return nil }
            let (first, second) = (halves[0].split(separator: " "), halves[1].split(separator: " "))
            guard first.count >= 6, second.count >= 2 else { return nil }
            return Mount(
                id: String(first[0]), point: Self.unescaped(first[4]), type: String(second[0]),
                source: Self.unescaped(second[1]), options: second.count > 2 ? second[2].split(separator: ",") : [])
        }
    }

    /// The mount of a path, by the path alone: the last one of the longest mount point.
    func mount(at path: String) -> Mount? {
        mounts.filter { mount in
            mount.point == "/" || path == mount.point || path.hasPrefix("\(mount.point)/")
        }.reduce(nil) { best, mount in
            best.map { $0.point.utf8.count > mount.point.utf8.count } ?? false ? best : mount
        }
    }

    /// Why a power cut loses everything on this mount; `nil` when it does not.
    func loss(on mount: Mount) -> String? {
        switch mount.type {
        case "tmpfs", "ramfs", "rootfs", "devtmpfs": return "\(mount.point) is in RAM (\(mount.type))"
        case "overlay":
            guard let upper = mount.options.first(where: { $0.hasPrefix("upperdir=") }) else { return nil }
            let folder = Self.unescaped(upper.dropFirst("upperdir=".count))
            guard let below = self.mount(at: folder), below.id != mount.id, below.type != "overlay" else {
                // raspi-config's initial RAM disk keeps the upper layer in a place that no path leads to.
                return "\(mount.point) is an overlay whose upper layer is out of sight: in RAM, or a container's"
            }
            return loss(on: below).map { "\(mount.point) is an overlay whose upper layer is in RAM: \($0)" }
        default:
            guard let device = mount.source.split(separator: "/").last, mount.source.hasPrefix("/dev/"),
                device.hasPrefix("zram") || device.hasPrefix("ram")
            else { return nil }
            return "\(mount.point) is in RAM (\(mount.source))"
        }
    }

    /// Spaces and backslashes are written as three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
