import Foundation
import TestSupport
import Testing

extension VirtualBoardTests {
    @Suite("The front panel", .serialized, .timeLimit(.minutes(10)), OnVirtualBoard())
    struct FrontPanelTests {
        private let board: VirtualBoard

        init() throws {
            board = try #require(VirtualBoard.current)
        }

        /// Runs a box of its own, on a broker of its own, while `body` runs.
        private func withBox(
            _ name: String, board file: String = "raspberry-pi", _ body: (BoxOnBoard) async throws -> Void
        ) async throws {
            try await board.run("broker_start")
            let box = try BoxOnBoard(on: board, state: name, boardFile: file)
            do {
                try await running(box) {
                    try await box.logged(" info online")
                    try await body(box)
                }
            } catch {
                try await board.run("broker_stop")
                throw error
            }
            try await board.run("broker_stop")
        }

        /// Runs a box while `body` runs; one whose test has failed must not be in the way of the next.
        private func running(_ box: BoxOnBoard, _ body: () async throws -> Void) async throws {
            try await box.launch()
            do {
                try await body()
            } catch {
                try await board.run("kill -9 $box; release 17 22 23; wait $box; true")
                throw error
            }
            try await box.stop()
        }

        @Test("A payment is heard phrase by phrase, while the motor gives its pulses and the light flickers")
        func payment() async throws {
            try await withBox("payment") { box in
                let seen = try await box.observing {
                    try await box.publish(("P-1", "123.45"))
                    try await box.logged(" announced id=P-1")
                }
                #expect(seen.sound.text == ["♪", "支付宝", "到账", "一", "百", "二", "十", "三", "点", "四", "五", "元"])
                // Two pulses of 200 ms with the chime.
                #expect(seen.vibrations.count == 2, "\(seen.vibrations)")
                #expect(seen.vibrations.allSatisfy { (0.15...0.3).contains($0) }, "\(seen.vibrations)")
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
            try await withBox("volume") { box in
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
                // Volume 50 to 70 is (70/50)³ = 2.7 times the amplitude, 70 to 40 is a fifth.
                #expect((2.4...3.1).contains(levels[15] / levels[0]), "\(levels)")
                #expect((0.15...0.25).contains(levels[31] / levels[16]), "\(levels)")
            }
        }

        @Test("Replay repeats the last payment, pressed twice the one before, and held tells the day's total")
        func replay() async throws {
            try await withBox("replay") { box in
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
                let payment = ["♪", "支付宝", "到账"]
                #expect(
                    seen.sound.text == payment + ["三", "元"] + payment + ["一", "元"]
                        + ["♪", "今日收款", "两", "笔", "总计", "四", "元"])
            }
        }

        @Test("The amplifier is on before the first sound, through two payments in a row, and off half a second after")
        func amplifier() async throws {
            let line = VirtualBoard.Line.amplifier.rawValue
            try await withBox("amplifier", board: "amplified") { box in
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
                // The lead, less what the recorder takes to begin after its time was taken.
                #expect(isOn.start < seen.soundStart + begin - 0.1)
                // The gap of half a second, and the lag of another.
                #expect((0.7...1.8).contains(isOn.end - (seen.soundStart + end)), "\(isOn), \(end)")
            }
        }

        @Test("Both volume buttons held for five seconds tell whether the network is there, and the box's address")
        func network() async throws {
            try await withBox("network") { box in
                let seen = try await box.observing {
                    try await board.run("press 17; press 22; sleep 5.2; release 17; release 22")
                    try await box.logged(" announcing network=online")
                    try await board.run("await 20 lit_for 1")
                }
                // QEMU gives the board 10.0.2.15.
                #expect(seen.sound.text == ["♪", "网络已连接", "一", "零", "零", "二", "一", "五"])
                #expect(try await box.log.contains { $0.contains("一零 零 二 一五") })
            }
        }

        @Test(
            "Replay and volume − held: a warning, then the setup is gone, and the box says and shows that it has none")
        func unprovision() async throws {
            try await board.run("broker_start")
            let box = try BoxOnBoard(on: board, state: "unprovision")
            let file = board.folder.file("soundbox.yaml")
            let setup = try String(contentsOfFile: file, encoding: .utf8)
            try await box.launch("--wait-for-setup")
            try await box.logged(" info online")

            let warned = try await box.observing {
                try await board.run("press 23; press 22; sleep 5; release 22; release 23; await 20 lit_for 4")
            }
            #expect(warned.sound.text == ["继续按住将清除设置"])
            #expect(FileManager.default.fileExists(atPath: file))

            let erased = try await box.observing {
                try await board.run("press 23; press 22; sleep 10.2; release 22; release 23")
                try await box.logged(" warning not set up")
                try await board.run("sleep 5")
            }
            #expect(erased.sound.text == ["继续按住将清除设置", "♪", "设备未激活"])
            #expect(!FileManager.default.fileExists(atPath: file))
            let flashes = erased.lights.suffix(4).dropLast().map { $0.end - $0.start }
            #expect(flashes.count == 3 && flashes.allSatisfy { $0 < 0.2 }, "\(erased.lights)")

            // Set up again, it is at work again; nobody had to start it.
            try board.folder.write(setup, to: "soundbox.yaml")
            try await box.logged(" info online", count: 2)
            try await box.stop()
            try await board.run("broker_stop")
        }

        @Test("While new software is being installed, one short flash a second asks to leave the power on")
        func updating() async throws {
            try await withBox("updating") { box in
                let seen = try await box.observing {
                    try await board.run("echo >/run/updating; sleep 6; rm /run/updating; await 20 lit_for 2")
                }
                let flashes = seen.lights.map { $0.end - $0.start }.filter { $0 < 0.2 }
                #expect((3...6).contains(flashes.count), "\(seen.lights)")
            }
        }

        @Test("A press whose contacts chatter is one press; a button held down at the start is none")
        func chatter() async throws {
            try await withBox("chatter") { box in
                try await board.run("bounce 17")
                try await box.logged(" info volume level=60")
                try await board.run("sleep 1")
                #expect(try await box.log.count { $0.contains(" info volume ") } == 1)
            }
            try await board.run("press 22")
            try await withBox("stuck", board: "no-bias") { box in
                try await board.run("sleep 1; release 22; sleep 0.2")
                try await board.click(.volumeUp)
                try await box.logged(" info volume level=60")
                #expect(try await box.log.count { $0.contains(" info volume ") } == 1)
            }
        }

        @Test("Without a connection the light blinks slowly, and is steady as soon as there is one")
        func connection() async throws {
            let box = try BoxOnBoard(on: board, state: "connection")
            try await running(box) {
                try await box.logged(" offline ")
                let offline = try await box.observing { try await board.run("sleep 6") }
                let whole = offline.lights.dropFirst().dropLast().map { $0.end - $0.start }
                #expect(whole.count >= 1)
                #expect(whole.allSatisfy { (0.7...1.3).contains($0) }, "\(offline.lights)")

                try await board.run("broker_start")
                try await box.logged(" info online")
                // The change of the light follows the log.
                try await board.run("await 20 lit_for 2")
            }
            try await board.run("broker_stop")
        }

        @Test("board check finds every line in order, and names who holds it, or which button is down")
        func check() async throws {
            let box = try BoxOnBoard(on: board, state: "check")
            let free = try await board.run("soundbox board check raspberry-pi --boards /host/board")
            #expect(free.count == 5 && free.allSatisfy { $0.hasSuffix(": in order") }, "\(free)")

            let pressed = try await board.run(
                "press 22; soundbox board check no-bias --boards /host/board; release 22; true")
            #expect(pressed.count { $0.hasSuffix(": in order") } == 4)
            #expect(
                pressed.contains {
                    $0.hasPrefix("button volume_down: GPIO22: ") && $0.contains("which the file calls pressed")
                })

            try await running(box) {
                try await board.run("await 30 eval '[ $(lines_held) = 5 ]'")
                let held = try await board.run("soundbox board check raspberry-pi --boards /host/board; true")
                #expect(held.count == 5 && held.allSatisfy { $0.contains("held by \"soundbox\"") }, "\(held)")
            }

            let other = try await board.run("soundbox board check raspberry-pi-5 --boards /host/board; true")
            #expect(other.allSatisfy { $0.contains("no GPIO chip is labelled \"pinctrl-rp1\"") }, "\(other)")
        }

        @Test("board test shows the light and the motor, and takes each button as it is pressed")
        func walkThrough() async throws {
            _ = try BoxOnBoard(on: board, state: "walk-through")
            try await board.run("soundbox board test raspberry-pi --boards /host/board >/run/walk 2>&1 & walk=$!")
            for (button, line) in [
                ("volume_up", VirtualBoard.Line.volumeUp), ("volume_down", .volumeDown), ("replay", .replay),
            ] {
                try await board.run("await 30 grep -q 'Press \(button)' /run/walk")
                try await board.click(line)
            }
            let words = try await board.run("wait $walk && cat /run/walk")
            #expect(
                words == [
                    "Look: the LED flashes three times", "Look: the motor runs three times", "Press volume_up",
                    "  it works",
                    "Press volume_down", "  it works", "Press replay", "  it works", "raspberry-pi: every button works",
                ])
        }

        @Test("SIGTERM leaves no line held and nothing lit, and the box can start again")
        func release() async throws {
            try await withBox("release") { box in
                let held = try await board.run("lines_held")
                #expect(held == ["5"])
                try await board.run("await 5 lit_for 1")
            }
            let left = try await board.run("lines_held; level 24; level 27")
            #expect(left == ["0", "0", "0"])
            try await withBox("release") { box in
                try await board.click(.volumeDown)
                try await box.logged(" info volume level=40")
            }
        }

        @Test(
            "A sound card pulled out in the middle of a payment: three flashes, and plugged in again, the whole payment"
        )
        func unplugged() async throws {
            try await withBox("unplugged") { box in
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
