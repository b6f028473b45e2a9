import SoundboxCore
import Testing

@testable import SoundboxMQTT

@Suite("Which version of MQTT an address is asked for")
struct ProtocolVersionsTests {
    private var memory = ProtocolVersions<String>(.auto)
    private static let day = Duration.seconds(86_400)

    private func version(_ address: String = "a", at now: Duration = .zero) -> ProtocolVersion {
        memory.version(for: address, at: now)
    }

    @Test("5 first; one that refuses it is asked for 3.1.1 at once and for a day, each address by itself")
    mutating func refused() {
        #expect(version() == .v5)
        #expect(memory.failed(.v5, at: "a", .version) == true)
        #expect(version() == .v311)
        #expect(version("b") == .v5)
        #expect(memory.accepted(.v311, by: "a", at: .seconds(5)) == true)
        #expect(version(at: Self.day) == .v311)
        #expect(memory.accepted(.v311, by: "a", at: .seconds(9)) == false)
        // The day begins with the first connection, however many follow.
        #expect(version(at: .seconds(5) + Self.day) == .v5)
    }

    @Test("Where 5 is avoided, 3.1.1 comes first, and 5 at once where that is refused", arguments: [false, true])
    func avoided(hangsUp: Bool) {
        var memory = ProtocolVersions<String>(.auto, avoids5: true)
        #expect(memory.version(for: "a", at: .zero) == .v311)
        #expect(memory.failed(.v311, at: "a", .silent) == false)
        #expect(memory.version(for: "a", at: .zero) == .v311)
        #expect(memory.failed(.v311, at: "a", hangsUp ? .closed : .version) == true)
        #expect(memory.version(for: "a", at: .zero) == .v5)
        #expect(memory.accepted(.v5, by: "a", at: .zero) == false)
        // One that takes 3.1.1 is asked for 5 again after a day.
        #expect(memory.accepted(.v311, by: "b", at: .zero) == true)
        #expect(memory.version(for: "b", at: Self.day - .seconds(1)) == .v311)
        #expect(memory.version(for: "b", at: Self.day) == .v5)
    }

    @Test("After a day one more question is asked; if it is refused again, another day follows")
    mutating func lookedAfter() {
        _ = memory.failed(.v5, at: "a", .version)
        _ = memory.accepted(.v311, by: "a", at: .zero)
        #expect(version(at: Self.day) == .v5)
        #expect(memory.failed(.v5, at: "a", .closed) == true)
        #expect(memory.accepted(.v311, by: "a", at: Self.day) == true)
        #expect(version(at: Self.day * 2 - .seconds(1)) == .v311)
        // Or it has learned it.
        #expect(version(at: Self.day * 2) == .v5)
        #expect(memory.accepted(.v5, by: "a", at: Self.day * 2) == false)
        #expect(version(at: Self.day * 4) == .v5)
    }

    @Test("No attempt has more than two connections, whatever a broker does")
    mutating func bounded() {
        for failure in [ProtocolVersions<String>.Failure.version, .closed] {
            for _ in 1...5 {
                var connections = 1
                while memory.failed(version(), at: "a", failure) { connections += 1 }
                #expect(connections <= 2)
            }
        }
    }

    @Test("A hang-up alone teaches nothing: when 3.1.1 fares no better, 5 is asked for again")
    mutating func restarting() {
        #expect(memory.failed(.v5, at: "a", .closed) == true)
        #expect(memory.failed(.v311, at: "a", .closed) == false)
        #expect(version() == .v5)
    }

    @Test("One that has spoken 5 restarts, and is not asked for less before it has hung up three times")
    mutating func knownToSpeak5() {
        _ = memory.accepted(.v5, by: "a", at: .zero)
        for _ in 1...2 {
            #expect(memory.failed(.v5, at: "a", .closed) == false)
            #expect(version() == .v5)
        }
        #expect(memory.failed(.v5, at: "a", .closed) == true)
        #expect(version() == .v311)
        _ = memory.accepted(.v5, by: "b", at: .zero)
        #expect(memory.failed(.v5, at: "b", .version) == true)
    }

    @Test("One that says nothing is not waited for a second time in the same attempt")
    mutating func silent() {
        #expect(memory.failed(.v5, at: "a", .silent) == false)
        #expect(version() == .v311)
        #expect(memory.failed(.v311, at: "a", .silent) == false)
        #expect(version() == .v5)
    }

    @Test("What is configured is what is spoken", arguments: [(BrokerProtocol.v5, ProtocolVersion.v5), (.v311, .v311)])
    func fixed(choice: BrokerProtocol, version: ProtocolVersion) {
        var memory = ProtocolVersions<String>(choice)
        #expect(memory.failed(version, at: "a", .version) == false)
        #expect(memory.accepted(version, by: "a", at: .zero) == false)
        #expect(memory.version(for: "a", at: .zero) == version)
    }
}
