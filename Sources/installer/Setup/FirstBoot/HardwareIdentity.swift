import SoundboxSystem

/// A unique name of this machine, for the device id of a new box:
///
///     HardwareIdentity().deviceID  // "box-0000a1b2c3d4"
public struct HardwareIdentity: Sendable {
    private let read: @Sendable (String) -> String?

    /// This machine.
    public init() { self.init { try? SmallFile.read($0) } }

    /// - Parameter read: returns the content of a file, or `nil`.
    init(read: @escaping @Sendable (String) -> String?) { self.read = read }

    /// `box-` and the last twelve characters of the board's serial number, otherwise of the machine id; `nil` if the
    /// system has neither. Blocks on the disk.
    public var deviceID: String? {
        for path in ["/proc/device-tree/serial-number", "/sys/class/dmi/id/product_serial", "/etc/machine-id"] {
            // The device tree ends its texts with a zero byte. Boards without a number have a text with blanks, or with
            // one or two different characters.
            let text = (read(path) ?? "").filter { $0 != "\0" }.trimmed.lowercased()
            let isSerial = text.count >= 8 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard isSerial, Set(text).count > 2 else { continue }
            return "box-\(text.suffix(12))"
        }
        return nil
    }
}
