import Foundation
import TestSupport
import Testing

extension VirtualBoardTests {
    @Suite("Announcements, heard and seen", .serialized, .timeLimit(.minutes(10)), OnVirtualBoard())
    struct AnnouncementTests {
        private let board: VirtualBoard

        init() throws {
            board = try #require(VirtualBoard.current)
        }

        @Test("A payment is heard phrase by phrase, while the motor gives its pulses and the light flickers")
        func payment() async throws {
            try await board.withBox("payment") { box in
                let seen = try await box.observing {
                    try await box.publish(("P-1", "123.45"))
                    try await box.logged(" announced id=P-1")
                }
                #expect(seen.sound.text == ["♪", "支付宝", "到账", "一", "百", "二", "十", "三", "点", "四", "五", "元"])
                // Two pulses with the chime. Their length is a busy guest's.
                #expect(seen.vibrations.count == 2, "\(seen.vibrations)")
                let voice = try #require(seen.sound.phrases.dropFirst().first)
                let amount = (seen.soundStart + voice.start)...(seen.soundStart + seen.sound.phrases[11].end)
                // Ten half-periods a second while the voice speaks; before the payment the light is steady.
                let flashes = seen.lights.filter { amount.contains($0.start) }
                #expect(Double(flashes.count) > 2.5 * (amount.upperBound - amount.lowerBound), "\(flashes)")
                #expect(flashes.allSatisfy { $0.end - $0.start < 0.2 }, "\(flashes)")
                let restedBy = try #require(seen.outputs.last { $0.isVibrating }?.time)
                #expect(restedBy < amount.upperBound - 1)
            }
        }

        @Test("Volume + makes the sound that is playing louder, volume − softer, and the payment stays whole")
        func volume() async throws {
            try await board.withBox("volume") { box in
                let seen = try await box.observing {
                    try await box.publish(("V-1", "98765.43"))
                    try await box.logged(" announcing id=V-1")
                    try await board.run("sleep 1.5")
                    for _ in 1...2 { try await board.click(.volumeUp) }
                    try await box.logged(" announced id=V-1")
                    try await box.publish(("V-2", "98765.43"))
                    try await box.logged(" announcing id=V-2")
                    try await board.run("sleep 1.5")
                    for _ in 1...3 { try await board.click(.volumeDown) }
                    try await box.logged(" announced id=V-2")
                }
                let words = ["♪", "支付宝", "到账", "九", "万", "八", "千", "七", "百", "六", "十", "五", "点", "四", "三", "元"]
                #expect(seen.sound.text == words + words)
                let levels = seen.sound.phrases.map(\.level)
                try #require(levels.count == 2 * words.count)
                // Volume 50 to 70 is (0.82/0.7)⁵ = 2.2 times the amplitude, 70 to 40 is (0.64/0.82)⁵ = 0.29 times.
                #expect((1.9...2.5).contains(levels[15] / levels[0]), "\(levels)")
                #expect((0.22...0.37).contains(levels[31] / levels[16]), "\(levels)")
            }
        }

        @Test("A card whose control is at the bottom is turned up to 0 dB when the box opens it, and the log says so")
        func cardLevel() async throws {
            try await board.run("amixer -q -c Dummy sset Master 0%")
            #expect(try await decibels() == -45)
            try await board.withBox("level", device: "hw:Dummy") { box in
                try await box.publish(("M-1", "1"))
                try await box.logged(" announced id=M-1")
                #expect(try await decibels() == 0)
                try await box.logged("of hw:CARD=Dummy was turned down to the bottom: set to 0 dB")
            }
        }

        /// Of the card's own volume control.
        private func decibels() async throws -> Double {
            let text = try await board.run("amixer -c Dummy sget Master").joined(separator: "\n")
            let match = try #require(text.firstMatch(of: /\[(-?[0-9.]+)dB\]/), "\(text)")
            return try #require(Double(match.1))
        }

        @Test("Replay repeats the last payment, pressed twice the one before, and held tells the day's total")
        func replay() async throws {
            try await board.withBox("replay") { box in
                try await box.publish(("R-1", "1"), ("R-2", "3"))
                try await box.logged(" announced id=R-2")
                let seen = try await box.observing {
                    try await board.click(.replay)
                    try await box.logged(" announcing replay_of=R-2")
                    // Steady again: what was asked for has been said.
                    try await board.run("await 20 lit_for 1")
                    try await board.doubleClick(.replay)
                    try await box.logged(" announcing replay_of=R-1")
                    try await board.run("await 20 lit_for 1")
                    try await board.click(.replay, seconds: 1.5)
                    try await box.logged(" today=2")
                    try await board.run("await 20 lit_for 1")
                }
                let payment = ["重复播报", "支付宝", "到账"]
                let today = ["♪", "今日收款", "两", "笔", "总计", "四", "元"]
                let expected = [payment, ["三", "元"], payment, ["一", "元"], today].flatMap(\.self)
                #expect(seen.sound.text == expected)
            }
        }

        @Test("The amplifier is on before the first sound, through two payments in a row, and off half a second after")
        func amplifier() async throws {
            let line = VirtualBoard.Line.amplifier.rawValue
            try await board.withBox("amplifier", board: "amplified") { box in
                #expect(try await board.run("level \(line)") == ["0"])
                try await board.run("record_begin; watch_begin \(line) \(line)")
                try await box.publish(("A-1", "1"), ("A-2", "2"))
                try await box.logged(" announced id=A-2")
                try await board.run("await 5 eval '[ $(level \(line)) = 0 ]'; watch_end; record_end")
                let seen = try Observation(folder: board.folder)
                #expect(seen.lights.count == 1, "\(seen.lights)")
                let isOn = try #require(seen.lights.first)
                let heard = seen.sound.phrases
                #expect(heard.count == 10)
                let (begin, end) = (try #require(heard.first).start, try #require(heard.last).end)
                // Of the lead of 250 ms, the recorder takes a part to begin after its time was taken.
                #expect(isOn.start < seen.soundStart + begin)
                // Not before the gap of half a second and most of the lag of another; how soon after, a busy machine
                // cannot tell.
                #expect(isOn.end - (seen.soundStart + end) > 0.7, "\(isOn), \(end)")
            }
        }

        @Test(
            "A sound card pulled out in the middle of a payment: three flashes, and plugged in again, the whole payment"
        )
        func unplugged() async throws {
            try await board.withBox("unplugged") { box in
                try await board.run("record_begin")
                try await box.publish(("U-1", "98765.43"))
                try await box.logged(" announcing id=U-1")
                try await board.run("sleep 2; record_end; unplug")
                #expect(try HeardSound(reading: board.folder.file("sound.raw")).text.starts(with: ["♪", "支付宝"]))
                try await box.logged(" error no sound")
                try await board.run("watch_begin 27 24; sleep 5; watch_end; plug; record_begin")
                let flashes = try Observation.lights(in: board.folder).map { $0.end - $0.start }
                #expect(flashes.count >= 5 && flashes.dropLast().allSatisfy { $0 < 0.4 }, "\(flashes)")

                try await box.logged(" announced id=U-1")
                try await board.run("record_end")
                let words = ["支付宝", "到账", "九", "万", "八", "千", "七", "百", "六", "十", "五", "点", "四", "三", "元"]
                #expect(try HeardSound(reading: board.folder.file("sound.raw")).text.suffix(words.count) == words)
                #expect(try await box.log.count { $0.contains(" announced id=U-1") } == 1)
            }
        }
    }
}
