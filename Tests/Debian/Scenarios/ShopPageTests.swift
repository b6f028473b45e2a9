import SoundboxCore
import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("The shop's page", .serialized, .timeLimit(.minutes(15)), OnBootedDebian())
    struct ShopPageTests {
        private let debian: BootedDebian

        init() throws { debian = try #require(BootedDebian.current) }

        /// As the manual says.
        private func switchOn(_ options: String = "") async throws {
            try await debian.run("card_in; mark")
            try await debian.setUp("--set page.enabled=true \(options)")
            try await debian.logged("online")
            do { try await debian.wait(until: "browse GET / && [ $code = 200 ]") } catch {
                let log = try await debian.run("journalctl --unit soundbox-page --output cat --lines 30")
                throw TestFailure("\(error); the page's log: \(log.joined(separator: "\n"))")
            }
        }

        private func json(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
            let text = try await debian.run("browse \(method) \(path) '\(body)'; [ $code = 200 ] && cat /run/answer")
            return try JSONValue(parsing: Array(text.joined().utf8))
        }

        /// By the code that the page gives to the box, as strace has it: no journal has it.
        private func signIn() async throws {
            try await debian.run("mark; overhear")
            _ = try await json("POST", "/api/code")
            try await debian.logged("announcing sign_in=code")
            let code = try await debian.run("overheard").joined()
            _ = try await json("POST", "/api/session", #"{"code":"\#(code)","role":"change"}"#)
            try await debian.run("keep_cookie")
        }

        @Test(
            "It is served by a user of its own that sees nothing else of the box, and outlives its own death and the box's"
        )
        func whole() async throws {
            try await debian.run("! ls /run/soundbox-page/control.sock && ! systemctl is-active soundbox-page")
            try await switchOn()
            try await debian.run("browse GET /api/history; [ $code = 401 ]")
            try await signIn()
            try await debian.pay("S-1", "123.45")
            try await debian.logged("announced id=S-1")
            let payments = try await json("GET", "/api/history")
            #expect(payments["entries"]?.elements?.first?["id"]?.string == "S-1")

            // Root looks at the files as the page's process has them.
            #expect(try await debian.run("stat -c %U /proc/$(page_pid)") == ["soundbox-page"])
            try await debian.run("seen=/proc/$(page_pid)/root")
            #expect(try await debian.run("ls -A $seen/etc/soundbox; ls -A $seen/var/lib/soundbox") == [])
            // systemd puts folders of its own into the empty /run.
            try await debian.run("[ -S $seen/run/soundbox-page/control.sock ]")
            try await debian.run("[ -S /run/soundbox/control.sock ] && ! [ -e $seen/run/soundbox/control.sock ]")
            // Its user has the one socket, and other users of the machine have none.
            let ask = "soundbox status --socket /run/soundbox-page/control.sock"
            try await debian.run("runuser -u soundbox-page -- \(ask)")
            try await debian.run("! runuser -u soundbox-page -- soundbox status")
            try await debian.run("! runuser -u nobody -- \(ask)")

            try await debian.run("kill -9 $(page_pid)")
            try await debian.wait(until: "browse GET /api/history && [ $code = 200 ]")
            try await debian.run("mark; systemctl restart soundbox")
            try await debian.logged("online")
            try await debian.wait(until: "browse GET /api/history && [ $code = 200 ]")
            try await debian.pay("S-2", "5")
            try await debian.logged("announced id=S-2")
            #expect(try await json("GET", "/api/history")["entries"]?.elements?.count == 2)

            try await debian.run("soundbox page --sign-out-all")
            try await debian.run("browse GET /api/history; [ $code = 401 ]")
            #expect(try await debian.run("systemctl --failed --quiet --plain --no-legend") == [])

            try await debian.run("mark")
            try await debian.setUp("--set page.enabled=false")
            try await debian.logged("online")
            try await debian.wait(until: "! systemctl is-active --quiet soundbox-page", within: 240)
            try await debian.run("! browse GET /; ! ls /run/soundbox-page/control.sock")
        }

        @Test("With a certificate it is at the port of HTTPS, and at no other")
        func encrypted() async throws {
            try await debian.run(
                "openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=counter.local -keyout /run/page.key "
                    + "-out /run/page.crt 2>/dev/null && install -m 640 -g soundbox-page /run/page.crt /run/page.key "
                    + "/etc/soundbox-page/")
            try await debian.run("mark")
            try await debian.setUp(
                "--set page.enabled=true --set page.certificate_file=/etc/soundbox-page/page.crt "
                    + "--set page.key_file=/etc/soundbox-page/page.key")
            try await debian.logged("online")
            let ask =
                "printf \"GET / HTTP/1.1\\r\\nHost: counter.local\\r\\nConnection: close\\r\\n\\r\\n\" | "
                + "openssl s_client -quiet -connect 127.0.0.1:443 -CAfile /run/page.crt -verify_return_error "
                + "-verify_hostname counter.local 2>/dev/null"
            try await debian.wait(until: "\(ask) | grep -q \"^HTTP/1.1 200\"")
            try await debian.run("! browse GET /")

            // The next shop's page is not this one's.
            try await debian.run("echo [] >/var/lib/soundbox-page/sessions.json; soundbox setup reset --yes")
            try await debian.run("! ls /var/lib/soundbox-page/sessions.json")
        }
    }
}
