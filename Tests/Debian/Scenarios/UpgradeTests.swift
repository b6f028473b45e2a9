import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("Upgrades while payments flow", .serialized, .timeLimit(.minutes(20)), .onlyInDebianTest, OnBootedDebian())
    struct UpgradeTests {
        private static let count = 8
        private let debian: BootedDebian

        init() throws { debian = try #require(BootedDebian.current) }

        /// Publishes a payment a second while `upgrade` runs, and waits until all of them were announced, once each, by a
        /// box that was restarted.
        private func payments(_ prefix: String, during upgrade: String) async throws {
            try await debian.run("card_in; mark; systemctl restart soundbox")
            try await debian.logged("online")
            let process = try await debian.run("mark; main_pid")
            try await debian.run(
                "(for n in $(seq \(Self.count)); do pay \(prefix)-$n $n; sleep 1; done) & payments=$!")
            try await debian.run(upgrade)
            try await debian.run("wait $payments")
            try await debian.wait(until: "[ $(box_log | grep -c '^announced id=') -ge \(Self.count) ]", within: 300)
            try await debian.wait(until: "idle")
            let ids = (1...Self.count).map { "\(prefix)-\($0)" }
            #expect(try await debian.log().filter { $0.hasPrefix("announced id=") }.count == Self.count)
            for id in ids {
                #expect(try await debian.log().filter { $0.hasPrefix("announced id=\(id) ") }.count == 1, "\(id)")
            }
            #expect(try await debian.log().filter { $0 == "stopped" }.count == 1)
            #expect(try await debian.run("main_pid") != process)
            try await debian.run("! ls /run/soundbox-updating")
        }

        @Test("A voice by itself: the box is restarted, no payment is lost and none is told twice")
        func voice() async throws {
            // What dpkg does when it has unpacked one.
            try await payments(
                "V",
                during: "dpkg-trigger --by-package=soundbox-voice-zh-cn --no-await /usr/share/soundbox/sounds && "
                    + "dpkg --triggers-only --pending")
        }

        @Test("Program and voice: the box is restarted once, no payment is lost and none is told twice")
        func program() async throws {
            try await payments("P", during: "apt-get -qq install --yes --no-install-recommends /root/next/*.deb")
            #expect(try await debian.run("dpkg-query -W -f '${Version}' soundbox") == ["99.0.0"])
        }
    }
}
