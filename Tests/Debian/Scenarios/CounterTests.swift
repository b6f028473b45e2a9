import SoundboxCore
import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("At the counter", .serialized, .timeLimit(.minutes(15)), OnBootedDebian())
    struct CounterTests {
        private let debian: BootedDebian

        init() throws { debian = try #require(BootedDebian.current) }

        @Test("An installed box speaks a payment")
        func payment() async throws {
            try await debian.run("card_in; systemctl restart soundbox")
            try await debian.run("listen")
            try await debian.pay("C-1", "123.45")
            try await debian.logged("announced id=C-1")
            try await debian.run("heard")
            #expect(try await debian.status.faults == [])
        }

        @Test("A foreign text is spoken and a clip decoded: the unit lets the box start its helper, and that espeak-ng")
        func helper() async throws {
            let chime = "/usr/share/soundbox/sounds/zh-CN/chime.opus"
            let hash = try await debian.run("sha256sum \(chime) | cut -c-64")[0]
            try await debian.run("card_in; systemctl stop soundbox")
            try await debian.run("echo 'clips: {hosts: [cdn.example.com]}' >>/etc/soundbox/soundbox.yaml")
            // A clip that is kept needs no network.
            let clips = "/var/lib/soundbox/clips"
            try await debian.run("install -d -o soundbox -g soundbox -m 700 \(clips)")
            try await debian.run("install -o soundbox -g soundbox -m 600 \(chime) \(clips)/\(hash)")
            try await debian.run("systemctl start soundbox")
            try await debian.wait(until: "in_order")
            for content in ["三号桌客人请取餐", "--clip https://cdn.example.com/c.flac --sha256 \(hash)"] {
                let receipts = try await debian.run("soundbox tell --wait \(content)")
                #expect(receipts.contains { $0.contains(#""state":"spoken""#) }, "\(receipts)")
            }
        }

        @Test("A card whose driver is loaded after the start speaks the payment that waits, and nothing is restarted")
        func lateCard() async throws {
            // Without a card, no driver of sound is loaded: the kernel knows no such devices.
            try await debian.run("systemctl stop soundbox && card_out && mark")
            try await debian.run("systemctl start soundbox")
            let process = try await debian.run("main_pid")
            try await debian.pay("L-1", "12.5")
            try await debian.logged("no sound")

            try await debian.run("card_in; listen")
            try await debian.logged("announced id=L-1")
            try await debian.run("heard")
            #expect(try await debian.run("main_pid") == process)
        }

        @Test("A card that is pulled out of an idle box is a fault, and none when it is back, without any payment")
        func unpluggedWhileIdle() async throws {
            try await debian.run("card_in; systemctl restart soundbox")
            try await debian.wait(until: "in_order")
            try await debian.run("unplug")
            try await debian.wait(until: "faulty")
            try await debian.run("plug")
            try await debian.wait(until: "in_order")
        }

        @Test("A card that is plugged into an idle box ends the fault, without any payment")
        func pluggedInWhileIdle() async throws {
            try await debian.run("systemctl stop soundbox && card_out && systemctl start soundbox")
            try await debian.wait(until: "faulty")
            try await debian.run("card_in")
            try await debian.wait(until: "in_order")
        }

        @Test("A box that hangs is killed by systemd and started again, and what was paid meanwhile is spoken once")
        func watchdog() async throws {
            try await debian.run("card_in; mark; systemctl restart soundbox")
            try await debian.logged("online")
            let process = try await debian.run("main_pid")
            try await debian.run("kill -STOP $(main_pid)")
            try await debian.pay("W-1", "7")
            // 30 s until systemd misses the box, and 20 s that a process which takes no signal is given.
            try await debian.logged("announced id=W-1", within: 300)
            #expect(try await debian.run("main_pid") != process)
            #expect(try await debian.begunAnnouncements == ["W-1"])
        }

        @Test("The power is cut while payments arrive: every one that was confirmed is spoken after the next start")
        func powerCut() async throws {
            try await debian.run("card_in; systemctl restart soundbox")
            try await debian.wait(until: "in_order")
            try await debian.run(
                "mosquitto_sub -h 127.0.0.1 -q 1 -t soundbox/v1/M1001/box-01/receipts >/run/receipts & sleep 1")
            try await debian.run("for i in $(seq 12); do pay P-$i $i.5; done & true")
            try await debian.wait(until: "[ $(grep -c stored /run/receipts) -ge 4 ]")
            let receipts = try await debian.run("cat /run/receipts")
            try await debian.cutPower()

            let confirmed = try receipts.map { try JSONValue(parsing: Array($0.utf8)) }
                .filter { $0["state"]?.string == "stored" }.compactMap { $0["id"]?.string }
            try await debian.boot()
            try await debian.run("card_in")
            try await debian.wait(until: "idle", within: 300)
            let announced = try await debian.run(
                "sqlite3 /var/lib/soundbox/inbox.sqlite \"SELECT payment_id FROM notice WHERE state = 'announced'\"")
            #expect(confirmed.count >= 4)
            #expect(Set(confirmed).subtracting(announced) == [])
        }
    }
}
