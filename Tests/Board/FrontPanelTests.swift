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

        @Test("Both volume buttons held for five seconds tell whether the network is there, and the box's address")
        func network() async throws {
            try await board.withBox("network") { box in
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
            let box = try BoxOnBoard(on: board, state: "unprovision")
            let file = board.folder.file("soundbox.yaml")
            let setup = try String(contentsOfFile: file, encoding: .utf8)
            try await board.withBroker {
                try await board.running(box, "--wait-for-setup") {
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
                    #expect(flashes.count == 3 && flashes.allSatisfy { $0 < 0.4 }, "\(erased.lights)")

                    // Set up again, it is at work again; nobody had to start it.
                    try board.folder.write(setup, to: "soundbox.yaml")
                    try await box.logged(" info online", count: 2)
                }
            }
        }

        @Test("A box that may not remove its setup ends when it is taken out of service, and the next start finds none")
        func unprovisionedAsService() async throws {
            // As the unit's sandbox has it: /etc is read-only, and only what runs before the start may write there.
            let setup = "/run/etc/soundbox.yaml"
            let box = try BoxOnBoard(on: board, state: "unprovision-service", configuration: setup)
            try await board.run("mkdir /run/etc; mount -t tmpfs tmpfs /run/etc; cp /host/soundbox.yaml /run/etc")
            try await board.run("mount -o remount,ro /run/etc")
            try await board.withBroker {
                try await board.clearingUp {
                    try await box.launch("--wait-for-setup")
                    try await box.logged(" info online")
                    try await board.run("press 23; press 22; sleep 10.2; release 22; release 23")
                    try await board.run("wait $box")
                    try await box.logged(" to be taken out of service at the next start")
                }
                try await board.run("mount -o remount,rw /run/etc")
                let removed = try await board.run("soundbox setup reset --if-requested --config \(setup)")
                #expect(removed.first == "removed \(setup)")
                // The volume that the keys have set is not for whoever has the box next.
                #expect(removed.dropFirst().allSatisfy { $0.hasPrefix("removed /run/state/unprovision-service/") })
                try await board.running(box, "--wait-for-setup") {
                    try await box.logged(" warning not set up")
                }
            }
        }

        @Test("While new software is being installed, one short flash a second asks to leave the power on")
        func updating() async throws {
            try await board.withBox("updating") { box in
                let seen = try await box.observing {
                    try await board.run(
                        "echo >/run/soundbox-updating; sleep 6; rm /run/soundbox-updating; await 20 lit_for 2")
                }
                let flashes = seen.lights.map { $0.end - $0.start }.filter { $0 < 0.2 }
                #expect((3...6).contains(flashes.count), "\(seen.lights)")
            }
        }

        @Test("A press whose contacts chatter is one press; a button held down at the start is none")
        func chatter() async throws {
            try await board.withBox("chatter") { box in
                try await board.run("bounce 17")
                try await box.logged(" info volume level=60")
                try await board.run("sleep 1")
                #expect(try await box.log.count { $0.contains(" info volume ") } == 1)
            }
            try await board.run("press 22")
            try await board.withBox("stuck", board: "no-bias") { box in
                try await board.run("sleep 1; release 22; sleep 0.2")
                try await board.click(.volumeUp)
                try await box.logged(" info volume level=60")
                #expect(try await box.log.count { $0.contains(" info volume ") } == 1)
            }
        }

        @Test("Without a connection the light blinks slowly, and is steady as soon as there is one")
        func connection() async throws {
            let box = try BoxOnBoard(on: board, state: "connection")
            try await board.running(box) {
                try await box.logged(" offline ")
                let offline = try await box.observing { try await board.run("sleep 6") }
                let whole = offline.lights.dropFirst().dropLast().map { $0.end - $0.start }
                #expect(whole.count >= 1)
                #expect(whole.allSatisfy { (0.7...1.3).contains($0) }, "\(offline.lights)")

                try await board.withBroker {
                    try await box.logged(" info online")
                    // The change of the light follows the log.
                    try await board.run("await 20 lit_for 2")
                }
            }
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

            try await board.running(box) {
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
            try await board.withBox("release") { box in
                let held = try await board.run("lines_held")
                #expect(held == ["5"])
                try await board.run("await 5 lit_for 1")
            }
            let left = try await board.run("lines_held; level 24; level 27")
            #expect(left == ["0", "0", "0"])
            try await board.withBox("release") { box in
                try await board.click(.volumeDown)
                try await box.logged(" info volume level=40")
            }
        }
    }
}
