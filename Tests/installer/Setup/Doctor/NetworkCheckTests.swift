import Testing

@testable import SoundboxSetup

@Suite("How the doctor sees the network")
struct NetworkCheckTests {
    private static let heading = """
        Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
         face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22

        """

    @Test(
        "The kernel's table of signals",
        arguments: [
            ("", [:]),
            (" wlan0: 0000   54.  -56.  -256        0      0      0      0      0        0\n", ["wlan0": -56]),
            (" wlan0: 0000   54   -56   -256        0      0      0      0      0        0\n", ["wlan0": -56]),
            // No level, and levels in units of the driver's own.
            (" wlan0: 0000    0. -256.  -256        0      0      0      0      0        0\n", [:]),
            (" wlan0: 0000   54.   61.     0        0      0      0      0      0        0\n", [:]),
            (" wlan0: 0000\n", [:]),
            (
                "wlan0: 0000 54. -56. -256 0 0 0 0 0 0\n wlx00c0ca: 0000 20. -81. -256 0 0 0 0 0 0\n",
                ["wlan0": -56, "wlx00c0ca": -81]
            ),
        ])
    func table(lines: String, expected: [String: Int]) {
        #expect(NetworkCheck.signals(in: Self.heading + lines) == expected)
    }

    @Test(
        "What iw tells",
        arguments: [
            ("Connected to 00:11:22:33:44:55 (on wlan0)\n\tSSID: signal: -1 dBm\n\tsignal: -56 dBm\n", -56),
            ("Not connected.\n", nil), ("\tsignal: -56\n", nil), ("\tsignal: 0 dBm\n", nil),
        ])
    func iw(text: String, expected: Int?) { #expect(NetworkCheck.signal(inLink: text) == expected) }

    private let cable = NetworkCheck.Link(interface: "eth0", address: "192.168.1.5")

    private func wireless(_ signal: Int?) -> NetworkCheck.Link {
        NetworkCheck.Link(interface: "wlan0", address: "192.168.1.6", isWireless: true, signal: signal)
    }

    @Test("Address and way are named; a weak signal deserves a look, unless there is a cable as well")
    func findings() {
        #expect(NetworkCheck.finding([cable]).detail == "192.168.1.5 by cable (eth0)")
        #expect(NetworkCheck.finding([cable]).level == .green)
        let good = NetworkCheck.finding([wireless(-74)])
        #expect(good.level == .green && good.detail == "192.168.1.6 by Wi-Fi (wlan0), signal -74 dBm")
        let weak = NetworkCheck.finding([wireless(-75)])
        #expect(weak.level == .amber && weak.detail.hasSuffix("signal -75 dBm, which is weak") && weak.advice != nil)
        #expect(NetworkCheck.finding([wireless(nil)]).level == .green)
        #expect(NetworkCheck.finding([wireless(-90), cable]).level == .green)
        #expect(NetworkCheck.finding([]).level == .amber)
    }
}
