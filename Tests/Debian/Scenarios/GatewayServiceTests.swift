import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("The gateway as a service", .serialized, .timeLimit(.minutes(20)), .onlyInDebianTest, OnBootedDebian())
    struct GatewayServiceTests {
        private static let token = "0123456789abcdef0123456789abcdef"
        private let debian: BootedDebian

        init() throws { debian = try #require(BootedDebian.current) }

        private func post(_ id: String, _ amount: String) async throws {
            try await debian.run(
                "curl -sS --fail -H 'Authorization: Bearer \(Self.token)' "
                    + #"-d '{"id":"\#(id)","amount":"\#(amount)"}' http://127.0.0.1:8090/payments/M1001/box-01"#)
        }

        private func wait(until state: String, of id: String) async throws {
            let get =
                "curl -sS -H 'Authorization: Bearer \(Self.token)' http://127.0.0.1:8090/payments/M1001/box-01/\(id)"
            try await debian.wait(until: "\(get) | grep -q '\"state\":\"\(state)\"'")
        }

        @Test("Set up as its page says it reloads, and tells payments, also those from before a crash and a reboot")
        func payments() async throws {
            // There was nothing to start it with.
            try await debian.run("! systemctl is-active soundbox-gateway")
            try await debian.run(
                "cd /etc/soundbox-gateway; echo 'shop \(Self.token)' >tokens; "
                    + "echo '{client_id: gateway-1, broker: {url: \"mqtt://127.0.0.1\"}}' >gateway.yaml; "
                    + "chgrp soundbox-gateway *; chmod 640 *; systemctl start soundbox-gateway")
            try await debian.run("card_in; systemctl restart soundbox")
            try await debian.logged("online")
            try await post("G-1", "123.45")
            try await wait(until: "announced", of: "G-1")

            // In the unit's sandbox: a reload takes a new token, and fails for a file with a mistake, naming the line.
            let list = "curl -sS --fail -H 'Authorization: Bearer \(Self.token)2' http://127.0.0.1:8090/payments"
            try await debian.run("! \(list)")
            try await debian.run(
                "echo 'till \(Self.token)2' >>/etc/soundbox-gateway/tokens; systemctl reload soundbox-gateway")
            try await debian.wait(until: list)
            try await debian.run(
                "echo broken >>/etc/soundbox-gateway/tokens; ! systemctl reload soundbox-gateway; \(list); "
                    + "journalctl -u soundbox-gateway | grep -q '/tokens:3: '")
            try await debian.run("sed -i '$d' /etc/soundbox-gateway/tokens")

            // What it took while the broker was away, through a crash and a reboot.
            try await debian.run("systemctl stop mosquitto")
            try await post("G-2", "5")
            try await debian.run("systemctl kill --signal=KILL soundbox-gateway")
            try await debian.wait(until: "systemctl is-active soundbox-gateway")
            try await post("G-3", "6")
            let unheard = "runuser -u soundbox-gateway -- soundbox-gateway list --unheard"
            #expect(try await debian.run(unheard).count { $0.contains("G-") } == 2)
            try await debian.reboot()
            try await debian.run("card_in; systemctl restart soundbox")
            for id in ["G-2", "G-3"] { try await wait(until: "announced", of: id) }
            for id in ["G-1", "G-2", "G-3"] {
                #expect(try await debian.log(all: true).count { $0.hasPrefix("announced id=\(id) ") } == 1, "\(id)")
            }
            #expect(try await debian.run("\(unheard) | grep -c G- || true") == ["0"])
        }
    }
}
