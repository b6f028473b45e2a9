import Foundation
import TestSupport
import Testing

extension VirtualBoardTests {
    @Suite("Rings, heard, seen and felt", .serialized, .timeLimit(.minutes(10)), OnVirtualBoard())
    struct RingTests {
        private let board: VirtualBoard
        private static let words = "网络已连接"

        init() throws {
            board = try #require(VirtualBoard.current)
        }

        /// Publishes a command, and returns when the broker has it.
        /// - Parameter members: of the JSON object, without `at`.
        private func command(_ members: String) async throws {
            try await board.run(
                "mosquitto_pub -h 127.0.0.1 -q 1 -t soundbox/v1/M1001/box-01/commands -m '{\(members),\"at\":\"'"
                    + "$(date -u +%Y-%m-%dT%H:%M:%SZ)'\"}'")
        }

        private func ring(_ id: String, seconds: Int) async throws {
            try await command(#""id":"\#(id)","type":"ring","timeout":\#(seconds),"segments":["\#(Self.words)"]"#)
        }

        /// When the loopback card gave the last of the ring's words, in seconds since boot.
        private func lastWord(_ seen: Observation) throws -> Double {
            seen.soundStart + (try #require(seen.sound.phrases.last { $0.text == Self.words })).end
        }

        @Test("A ring sounds, vibrates and flashes until the button goes down; that press means nothing else")
        func answered() async throws {
            try await board.withBox("ring-answered") { box in
                var pressed = 0.0
                let seen = try await box.observing {
                    try await ring("R-1", seconds: 60)
                    try await box.logged(" ringing .*R-1")
                    // Held for as long as a long press, which would tell the day's total.
                    let lines = try await board.run("sleep 8; press 23; now; sleep 1.5; release 23; sleep 1")
                    pressed = try #require(lines.first.flatMap(Double.init))
                    try await box.logged(" ring over .*answered")
                    try await board.run("await 20 lit_for 2")
                }
                #expect(seen.sound.text.count { $0 == Self.words } >= 2, "\(seen.sound.text)")
                // The button's debouncing takes 20 ms, the card 100 ms, and the measurement has windows of 40 ms.
                #expect(try lastWord(seen) < pressed + 0.25)
                let felt = seen.outputs.filter(\.isVibrating).map(\.time)
                #expect(seen.vibrations.count >= 6, "\(seen.vibrations)")
                #expect(seen.vibrations.dropLast().allSatisfy { (0.3...0.55).contains($0) }, "\(seen.vibrations)")
                #expect(felt.allSatisfy { $0 < pressed + 0.25 })
                #expect(try await box.log.allSatisfy { !$0.contains(" announcing ") })
            }
        }

        @Test("A ring that nobody answers ends with its time, and that nobody has answered is said once")
        func missed() async throws {
            try await board.withBox("ring-missed") { box in
                let seen = try await box.observing {
                    try await ring("R-2", seconds: 6)
                    try await box.logged(" ring over .*missed")
                    try await box.logged(" announcing prompt=ring_missed")
                    try await board.run("sleep 3; await 20 lit_for 2")
                }
                let text = seen.sound.text.filter { $0 == Self.words || $0 == "无人应答" }
                #expect(text.last == "无人应答" && text.count { $0 == "无人应答" } == 1, "\(text)")
                #expect(text.contains(Self.words))
                // The repeat that has begun when the time runs out is finished.
                #expect((3...6).contains(seen.vibrations.count / 2), "\(seen.vibrations)")
                #expect(try await box.log.count { $0.contains(" announcing ") } == 1)
            }
        }

        @Test("A ring whose cancel came first is neither heard nor felt, and a payment behind it is")
        func cancelledBefore() async throws {
            try await board.withBox("ring-cancelled") { box in
                let seen = try await box.observing {
                    try await command(#""id":"C-3","type":"cancel","command_id":"R-3""#)
                    try await ring("R-3", seconds: 60)
                    try await box.publish(("P-3", "1"))
                    try await box.logged(" announced id=P-3")
                }
                #expect(!seen.sound.text.contains(Self.words), "\(seen.sound.text)")
                // The payment's own.
                #expect(seen.vibrations.count == 2, "\(seen.vibrations)")
                #expect(try await box.log.allSatisfy { !$0.contains(" ringing ") })
            }
        }

        @Test("A cancel silences a ring that sounds, and the light is steady again")
        func cancelled() async throws {
            try await board.withBox("ring-silenced") { box in
                var cancelled = 0.0
                let seen = try await box.observing {
                    try await ring("R-4", seconds: 60)
                    try await box.logged(" ringing .*R-4")
                    try await board.run("sleep 5")
                    try await command(#""id":"C-4","type":"cancel","command_id":"R-4""#)
                    let lines = try await board.run("now")
                    cancelled = try #require(lines.first.flatMap(Double.init))
                    try await board.run("sleep 1; await 20 lit_for 2")
                }
                #expect(try lastWord(seen) < cancelled + 0.25)
                #expect(seen.outputs.filter(\.isVibrating).allSatisfy { $0.time < cancelled + 0.5 })
            }
        }
    }
}
