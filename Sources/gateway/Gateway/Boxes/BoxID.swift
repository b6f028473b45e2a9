import SoundboxCore

/// A box, by the two names in its topics.
///
///     let box = try BoxID(merchant: "M1001", device: "box-01")
///     box.topic("payments")  // soundbox/v1/M1001/box-01/payments
package struct BoxID: Sendable, Hashable, CustomStringConvertible {
    package let merchant: String
    package let device: String

    /// - Throws: what is wrong with a name, which then could be another box's topic, or another box's key file.
    package init(merchant: String, device: String) throws(BoxIDError) {
        (self.merchant, self.device) = (merchant, device)
        // Made for each message: what the topics check takes a hundred times as long.
        if Self.isPlain(merchant), Self.isPlain(device) { return }
        do { _ = try Topics(merchant: merchant, device: device) } catch {
            throw BoxIDError(field: error.part == .merchant ? "merchant" : "device", problem: "\(error.problem)")
        }
        for (field, name) in [("merchant", merchant), ("device", device)] {
            guard !name.hasPrefix(".") else { throw BoxIDError(field: field, problem: "must not begin with a dot") }
            guard name.utf8.count <= Self.maximumBytes else {
                throw BoxIDError(field: field, problem: "must have at most \(Self.maximumBytes) bytes")
            }
        }
    }

    /// The longest name of a file.
    static let maximumBytes = 128

    /// Whether a name is of printable ASCII and right. Others may be right as well.
    private static func isPlain(_ name: String) -> Bool {
        (1...maximumBytes).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "+"), UInt8(ascii: "#"), UInt8(ascii: "/"): false
                default: (0x20..<0x7F).contains(byte)
                }
            }
    }

    /// The box and the last level of one of its topics; `nil` for another name.
    package init?(topic: String, _ word: inout String) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let prefix = Topics.defaultPrefix.split(separator: "/")
        guard levels.count == prefix.count + 3, levels.starts(with: prefix),
            let box = try? BoxID(merchant: String(levels[levels.count - 3]), device: String(levels[levels.count - 2]))
        else { return nil }
        self = box
        word = String(levels[levels.count - 1])
    }

    package func topic(_ topic: Topic) -> String {
        "\(Topics.defaultPrefix)/\(merchant)/\(device)/\(topic.rawValue)"
    }

    /// The filter that fits this topic of every box.
    package static func filter(_ topic: Topic) -> String { "\(Topics.defaultPrefix)/+/+/\(topic.rawValue)" }

    package var description: String { "\(merchant)/\(device)" }

    /// By their bytes, as the broker and the file compare topics: to Swift "é" is also "e" with an accent behind it.
    package static func == (one: BoxID, other: BoxID) -> Bool {
        one.merchant.utf8.elementsEqual(other.merchant.utf8) && one.device.utf8.elementsEqual(other.device.utf8)
    }
}

/// Why two names are no box.
package struct BoxIDError: Error, Equatable, CustomStringConvertible {
    package var field: String
    package var problem: String

    package var description: String { "\(field): \(problem)" }
}
