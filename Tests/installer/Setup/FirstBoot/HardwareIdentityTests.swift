import Testing

@testable import SoundboxSetup

@Suite("A new box takes its name from the hardware")
struct HardwareIdentityTests {
    @Test(
        "The serial number comes first, then the machine id; what is no number is passed over",
        arguments: [
            (["/proc/device-tree/serial-number": "10000000a1b2c3d4\0"], "box-0000a1b2c3d4"),
            (
                [
                    "/sys/class/dmi/id/product_serial": "To Be Filled By O.E.M.\n",
                    "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
                ], "box-456789abcdef"
            ),
            (["/proc/device-tree/serial-number": "0000000000000000\0"], nil),
            ([:], nil),
        ])
    func names(files: [String: String], expected: String?) {
        #expect(HardwareIdentity { files[$0] }.deviceID == expected)
    }
}
