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
    }
}
