import TestSupport
import Testing

extension BootedDebianTests {
    @Suite("A box that follows a ring of a repository", .serialized, .timeLimit(.minutes(40)), .onlyInDebianTest)
    struct RingTests {
        /// Publishes payments from the moment on at which the package is unpacked, and waits until all were announced,
        /// once each.
        private func payments(_ prefix: String, in debian: BootedDebian, during update: String) async throws {
            let count = 5
            try await debian.run("mark; (\(update)) >/run/update 2>&1 & update=$!")
            try await debian.wait(until: "[ -e /run/soundbox-updating ]", within: 300)
            try await debian.run("for n in $(seq \(count)); do pay \(prefix)-$n $n; sleep 1; done; wait $update")
            try await debian.wait(until: "[ $(box_log | grep -c '^announced id=') -ge \(count) ]", within: 300)
            try await debian.wait(until: "idle")
            for n in 1...count {
                let told = try await debian.log().filter { $0.hasPrefix("announced id=\(prefix)-\(n) ") }
                #expect(told.count == 1, "\(prefix)-\(n)")
            }
        }

        /// Lets a night pass.
        /// - Parameter version: that of the packages on the morning after.
        private func night(in debian: BootedDebian, until version: String) async throws {
            do { try await debian.run("night; runs \(version)") } catch {
                let said = try await debian.run(
                    "dpkg --list 'soundbox*'; dpkg --audit; journalctl -u 'apt-daily*' -o cat --lines 20; "
                        + "tail -n 20 /var/log/unattended-upgrades/*")
                throw TestFailure("\(error): \(said.joined(separator: "\n"))")
            }
        }

        @Test("It leaves canary alone, takes what is promoted and goes back with its ring; each payment is told once")
        func ring() async throws {
            let debian = try await BootedDebian()
            try await debian.boot()
            try await debian.run("card_in; systemctl restart soundbox")
            try await debian.logged("online")
            let version = try #require(try await debian.run("dpkg-query -W -f '${Version}' soundbox").first)
            try await debian.run("follow stable")

            try await night(in: debian, until: version)

            try await debian.run("repository.sh promote /srv/soundbox canary stable")
            // While a payment waits for a card nothing is restarted.
            try await debian.run("systemctl stop soundbox; card_out && systemctl start soundbox")
            try await debian.pay("W-1", "1")
            try await debian.wait(until: "soundbox status --json | grep -q '\"queued\":1'")
            try await night(in: debian, until: version)
            try await debian.run("card_in")
            try await debian.logged("announced id=W-1")
            try await debian.wait(until: "idle")
            try await payments("U", in: debian, during: "night")
            try await debian.run("runs 99.0.0")
            let tables = "sqlite3 /var/lib/soundbox/inbox.sqlite 'PRAGMA user_version'"
            #expect(try await debian.run(tables) == ["5"], "the next version has a migration: Guest/next.patch")

            // What somebody has changed on the way is refused.
            try await debian.run("repository.sh add /srv/soundbox stable /root/this/*.deb")
            try await debian.run("cp -a /srv/soundbox/dists/stable /srv/right")
            try await debian.run("sed -i 's/^Suite: stable/Suite: Stable/' /srv/soundbox/dists/stable/InRelease")
            try await night(in: debian, until: "99.0.0")
            try await debian.run("rm -r /srv/soundbox/dists/stable; mv /srv/right /srv/soundbox/dists/stable")
            try await payments("D", in: debian, during: "night")
            try await debian.run("runs \(version)")
            #expect(try await debian.run(tables) == ["4"])
            // The older version knows what the newer one has told.
            try await debian.run("mark; pay U-1 1")
            try await debian.logged("duplicate, not spoken again.*id=U-1")
            #expect(try await debian.begunAnnouncements == [])
            #expect(try await debian.run("systemctl --failed --quiet --plain --no-legend") == [])
            try await debian.cutPower()
        }

        @Test("A power cut in the middle of an upgrade costs no payment, and the next night completes it")
        func powerCut() async throws {
            let debian = try await BootedDebian()
            try await debian.boot()
            let version = try #require(try await debian.run("dpkg-query -W -f '${Version}' soundbox").first)
            try await debian.run("follow stable")
            let steps = [
                ("promote /srv/soundbox canary stable", "next", "99.0.0", 1),
                ("add /srv/soundbox stable /root/this/*.deb", "this", version, 1),
                ("promote /srv/soundbox canary stable", "next", "99.0.0", 3),
                ("add /srv/soundbox stable /root/this/*.deb", "this", version, 3),
            ]
            for (place, (change, folder, goal, seconds)) in steps.enumerated() {
                try await debian.run("repository.sh \(change)")
                try await debian.run("systemctl stop soundbox; card_out && mark && systemctl start soundbox")
                let id = "C-\(place)"
                try await debian.pay(id, "\(place + 1)")
                try await debian.wait(until: "soundbox status --json | grep -q '\"queued\":1'")
                try await debian.run(
                    "apt-get -qq install --yes --allow-downgrades --no-install-recommends /root/\(folder)/*.deb "
                        + ">/run/update 2>&1 & true")
                try await debian.wait(until: "[ -e /run/soundbox-updating ]", within: 300)
                try await debian.run("sleep \(seconds)")
                try await debian.cutPower()

                try await debian.boot()
                try await debian.run("card_in")
                try await debian.wait(until: "journalctl -u soundbox -o cat | grep -q '^announced id=\(id) '")
                try await debian.wait(until: "idle")
                try await night(in: debian, until: goal)
                #expect(try await debian.run("dpkg --audit") == [])
                // Told once, and known to the version that is there now.
                try await debian.run("mark; pay \(id) \(place + 1)")
                try await debian.logged("duplicate, not spoken again.*id=\(id)")
                #expect(try await debian.log(all: true).filter { $0.hasPrefix("announced id=\(id) ") }.count == 1)
            }
            try await debian.cutPower()
        }
    }
}
