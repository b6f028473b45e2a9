import TestSupport
import Testing

@Suite(
    "The front panel, on a virtual board", .serialized, .timeLimit(.minutes(5)),
    .enabled("needs QEMU and a kernel for it") { await GuestImage.obstacle() == nil }, OnVirtualBoard())
struct FrontPanelTests {
    private let board: VirtualBoard
    private let folder: TemporaryFolder

    init() throws {
        board = try #require(VirtualBoard.current)
        folder = try TemporaryFolder()
    }

    @Test("A payment is heard phrase by phrase, while the motor gives two pulses and the light flickers")
    func payment() async throws {
        try await withMosquitto(in: folder) { broker in
            let box = try BoxOnBoard(on: board, port: broker.port, state: "payment")
            try await box.start()
            let seen = try await box.observing {
                try await box.publish(("P-1", "123.45"))
                try await box.logged("announced id=P-1")
            }
            #expect(seen.sound.text == ["♪", "支付宝", "到账", "一", "百", "二", "十", "三", "点", "四", "五", "元"])
            print(seen.vibrations, seen.lights, seen.soundStart, seen.sound.phrases)
            try await box.stop()
        }
    }
}
