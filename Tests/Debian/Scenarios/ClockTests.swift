import Foundation
import SoundboxCore
import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("With a clock that may be wrong", .serialized, .timeLimit(.minutes(60)), .onlyInDebianTest)
    struct ClockTests {
        /// The time outside of the guest, which is the true one.
        private static func now(_ seconds: Int = 0) -> Timestamp {
            Timestamp(millisecondsSince1970: (Int64(Date().timeIntervalSince1970) + Int64(seconds)) * 1000)
        }

        /// Runs `body` on a Debian whose power is on, with a sound card.
        private func onDebian(_ body: (BootedDebian) async throws -> Void) async throws {
            let debian = try await BootedDebian()
            try await debian.boot()
            try await debian.run("card_in; mark; systemctl restart soundbox")
            try await debian.logged("online")
            do { try await body(debian) } catch {
                try? await debian.cutPower()
                throw error
            }
            try await debian.cutPower()
        }

        private func pay(_ debian: BootedDebian, _ id: String, _ amount: String, paidAt: Timestamp) async throws {
            let json = #"{"id":"\#(id)","amount":"\#(amount)","paid_at":"\#(paidAt)","signature":"%s"}"#
            try await debian.run("publish_signed payments '\(json)'")
        }

        private func follow(_ debian: BootedDebian) async throws {
            try await debian.run("time_server \(Self.now().millisecondsSince1970 / 1000)")
            try await debian.wait(until: #"soundbox status --json | grep -q "\"clock\":\"synchronised\"""#)
        }

        @Test(
            "The box in its sandbox and doctor as root see the same of the kernel: with a time server, and without one")
        func sign() async throws {
            try await onDebian { debian in
                #expect(try await debian.status.clock == .unconfirmed)
                #expect(try await debian.findings("amber").contains { $0.contains("knows of no time server") })

                try await follow(debian)
                #expect(try await debian.findings("green").contains { $0.contains("synchronised, says the kernel") })

                // Set by hand it is nobody's.
                try await debian.run("no_time_server; date --set '+2 hours'")
                #expect(try await debian.status.clock == .unconfirmed)
                #expect(try await debian.findings("amber").contains { $0.contains("knows of no time server") })
            }
        }

        @Test("Signed payments across a power cut of a box without a clock: each is spoken once, and no recording is")
        func powerCut() async throws {
            try await onDebian { debian in
                try await debian.run("mark; require_signatures")
                try await debian.logged("online")
                try await follow(debian)
                try await pay(debian, "S-1", "1", paidAt: Self.now())
                try await debian.logged("announced id=S-1")
                try await debian.run("systemctl stop soundbox; card_out; systemctl start soundbox")
                try await pay(debian, "S-2", "2", paidAt: Self.now())
                try await debian.logged("stored .*id=S-2")
                // What timesyncd saved is lost: the clock goes back to the release of systemd.
                try await debian.run("rm -f /var/lib/systemd/timesync/clock; sync")
                try await debian.cutPower()

                try await debian.boot(clock: .none)
                try await debian.run("card_in; mark")
                try await debian.wait(until: "[ $(date +%s) -lt \(Self.now(-86_400).millisecondsSince1970 / 1000) ]")
                try await pay(debian, "S-3", "3", paidAt: Self.now())
                try await debian.logged("announced id=S-3")
                #expect(try await debian.log(all: true).filter { $0.hasPrefix("announced id=S-2") }.count == 1)
                #expect(try await debian.status.clock == .behind)
                #expect(try await debian.status.faults?.contains { $0.contains("the clock is behind") } == true)

                // Played back: one from before all that the inbox remembers, and one that it knows.
                try await pay(debian, "S-0", "99", paidAt: Self.now(-91 * 86_400))
                try await debian.logged("rejected id=S-0")
                try await pay(debian, "S-1", "1", paidAt: Self.now(-600))
                try await debian.logged("duplicate, not spoken again")

                try await follow(debian)
                #expect(try await debian.status.faults == [])
                try await pay(debian, "S-4", "4", paidAt: Self.now())
                try await debian.logged("announced id=S-4")
            }
        }

        @Test("A clock that is ahead makes no payment late; nor does the step to the right time, while the box is off")
        func ahead() async throws {
            try await onDebian { debian in
                try await debian.powerOff()
                try await debian.boot(clock: .shows("2027-12-24T12:00:00"))
                try await debian.run("card_in; mark; systemctl restart soundbox")
                try await debian.logged("online")
                try await debian.pay("A-1", "1")
                try await debian.logged("announced id=A-1")
                // Nothing has come for two seconds: what comes now did not wait.
                try await debian.run(
                    "sleep 3; mosquitto_pub -h 127.0.0.1 -q 1 -t soundbox/v1/M1001/box-01/payments "
                        + #"-m '{"id":"A-2","amount":"2","paid_at":"\#(Self.now())"}'"#)
                try await debian.logged("announced id=A-2")
                #expect(try await debian.status.clock == .doubtful)

                try await debian.run("systemctl stop soundbox; card_out; systemctl start soundbox")
                try await debian.pay("A-3", "3")
                try await debian.logged("stored .*id=A-3")
                try await debian.run("systemctl stop soundbox; time_server \(Self.now().millisecondsSince1970 / 1000)")
                try await debian.wait(until: "[ $(date +%Y) = \(Self.now().description.prefix(4)) ]")
                try await debian.run("card_in; systemctl start soundbox")
                try await debian.logged("announced id=A-3")
                try await debian.pay("A-4", "4")
                try await debian.logged("announced id=A-4")
                let status = try await debian.status
                #expect(status.clock == .synchronised)
                #expect(status.faults == [])
            }
        }

        @Test("A clock that shows 2085 is a fault, and payments are spoken")
        func impossible() async throws {
            try await onDebian { debian in
                // Set by hand: systemd takes no such time from a battery clock.
                try await debian.run("systemctl stop systemd-timesyncd; date --set 2085-01-01")
                try await debian.run("card_in; mark; systemctl restart soundbox")
                try await debian.logged("online")
                try await debian.pay("B-1", "1")
                try await debian.logged("announced id=B-1")
                let status = try await debian.status
                #expect(status.clock == .wrong)
                #expect(status.faults?.contains { $0.contains("the clock shows the year 2085") } == true)
            }
        }
    }
}
