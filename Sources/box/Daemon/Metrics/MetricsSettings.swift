import Glibc
import SoundboxCore
import SoundboxYAML

extension ListenAddress {
    /// `metrics: {listen: "127.0.0.1:9464"}`
    init(readingMetrics value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let listen = try mapping.required("listen")
        try mapping.refuseOtherKeys()
        let text = try listen.string()
        let match = text.wholeMatch(of: /(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([0-9]{1,5})/)
        guard let match, let port = Int(match.3), 1...65_535 ~= port,
            let address = match.2.map({ Self.bytes($0, AF_INET, 4) }) ?? match.1.map({ Self.bytes($0, AF_INET6, 16) }),
            let address = address.flatMap({ InternetAddress(bytes: $0) })
        else {
            throw listen.error(
                "expected an address of this machine and a port, such as \"127.0.0.1:9464\" or \"[::1]:9464\""
                    + listen.found(text))
        }
        guard !address.isPublic else {
            throw listen.error(
                "is an address of the Internet, and whoever reaches it could read the metrics; expected one of this "
                    + "machine or of a private network, such as \"127.0.0.1:9464\"")
        }
        listen.mayBeShown()
        self.init(address, port: port)
    }

    /// In network byte order.
    private static func bytes(_ text: Substring, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, String(text), &bytes) == 1 ? bytes : nil
    }
}
