import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization
import Testing

@testable import SoundboxBox

@Suite("A start that ends soon after connecting is noticed by the next one")
struct ConnectionStartTests {
    private static let hour = 3600

    private func start(
        ends: Int, isOpen: Bool = true, lastEnd: Int = 0, boot: String = "b", now: Int = 100
    ) -> ConnectionStart {
        ConnectionStart(
            after: ConnectionMark(boot: "b", isOpen: isOpen, ends: ends, lastEnd: lastEnd), boot: boot,
            now: .seconds(now))
    }

    @Test("Without a mark, and after a power cut, a start is like any other")
    func first() {
        for start in [
            ConnectionStart(after: nil, boot: "b", now: .seconds(5)), start(ends: 7, boot: "another"),
        ] {
            #expect(!start.isAfterEnd && start.ends == 0 && start.pause == .zero)
            #expect(!start.avoids5(.auto) && start.problem(.auto, hasHeld: false) == nil)
        }
    }

    @Test("From the second end on MQTT 3.1.1 is spoken, and from the third one on pauses grow up to five minutes")
    func remedies() {
        #expect((0...2).map { start(ends: $0).avoids5(.auto) } == [false, true, true])
        #expect(
            [0, 1, 2, 3, 4, 5, 6, 7, 999_999, 1_000_000].map { start(ends: $0).pause }
                == [0, 0, 10, 20, 40, 80, 160, 300, 300, 300].map { .seconds($0) })
        #expect(!start(ends: 1).avoids5(.v5) && !start(ends: 1).avoids5(.v311))
    }

    @Test("A start after a good end does not wait, and speaks 3.1.1 until the last end is a day old")
    func day() {
        let later = start(ends: 5, isOpen: false, lastEnd: 50)
        #expect(!later.isAfterEnd && later.pause == .zero && later.avoids5(.auto))
        let day = start(ends: 5, isOpen: false, lastEnd: 50, now: 50 + 24 * Self.hour)
        #expect(day.ends == 0 && !day.avoids5(.auto) && day.problem(.auto, hasHeld: false) == nil)
        // One end before a run that ended well was chance.
        #expect(start(ends: 1, isOpen: false, lastEnd: 50).ends == 0)
        // An end today does not make those of yesterday count again.
        #expect(start(ends: 5, lastEnd: 50, now: 50 + 24 * Self.hour).ends == 1)
    }

    @Test("One end and 3.1.1 are warnings; what did not help, and a version that is written, are faults")
    func problems() throws {
        let first = try #require(start(ends: 0).problem(.auto, hasHeld: false))
        #expect(!first.isFault && first.text.contains("once"))
        #expect(start(ends: 0).problem(.auto, hasHeld: true) == nil)
        let second = try #require(start(ends: 1).problem(.auto, hasHeld: false))
        #expect(!second.isFault && second.text.contains("2 times") && second.text.contains("3.1.1 is spoken"))
        #expect(start(ends: 2).problem(.auto, hasHeld: false)?.isFault == true)
        #expect(start(ends: 2).problem(.auto, hasHeld: true)?.isFault == false)
        let written = try #require(start(ends: 1).problem(.v5, hasHeld: false))
        #expect(written.isFault && written.text.contains("broker.protocol is \"5\""))
        #expect(start(ends: 1).problem(.v311, hasHeld: false)?.isFault == true)
    }

    @Test("A mark outlives the disk, and nothing else is one")
    func record() throws {
        let mark = ConnectionMark(boot: "b", isOpen: true, ends: 3, lastEnd: 17)
        #expect(ConnectionMark(decoding: try JSONValue(parsing: mark.json.bytes)) == mark)
        for text in [
            "{}", "7", #"{"boot":"b","open":true,"ends":-1,"last_end_s":1}"#,
            #"{"boot":"b","open":true,"ends":1000001,"last_end_s":1}"#,
        ] {
            #expect(ConnectionMark(decoding: try JSONValue(parsing: Array(text.utf8))) == nil)
        }
    }
}

@Suite("The mark of a connection is on the disk until the connection has held")
struct ConnectionKeeperTests {
    private let marks = Mutexed<[ConnectionMark]>([])
    private let now = Mutexed(Duration.seconds(100))

    /// A start of the program.
    private func start(_ chosen: BrokerProtocol = .auto) -> (keeper: ConnectionKeeper, state: BoxState) {
        let state = BoxState(volume: Volume(80))
        let keeper = ConnectionKeeper(
            store: Remembered(read: { marks.value.last }, write: { mark in marks.value.append(mark) }), boot: "b",
            chosen: chosen, state: state, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: { now.value })
        return (keeper, state)
    }

    private static let lost = FeedConnection.disconnected(reason: "lost", retryIn: .zero)

    @Test("Before the first connection it is written, once for many connections, and goes when one has held")
    func held() {
        let keeper = start().keeper
        for _ in 1...3 {
            keeper.changed(to: .connecting)
            #expect(marks.value.map(\.isOpen) == [true])
            keeper.changed(to: .subscribed)
            now.value += .seconds(59)
            keeper.recordIfHeld()
            keeper.changed(to: Self.lost)
        }
        keeper.changed(to: .connecting)
        keeper.changed(to: .subscribed)
        now.value += .seconds(60)
        keeper.recordIfHeld()
        #expect(marks.value.map(\.isOpen) == [true, false])
        keeper.changed(to: Self.lost)
        keeper.changed(to: .connecting)
        keeper.changed(to: .stopped)
        #expect(marks.value.count == 2)
    }

    @Test("An end in good order takes it away")
    func stopped() {
        let keeper = start().keeper
        keeper.changed(to: .connecting)
        keeper.changed(to: .stopped)
        #expect(marks.value.map(\.isOpen) == [true, false] && marks.value.last?.ends == 0)
        #expect(start().state.snapshot.warnings.isEmpty)
    }

    @Test("Ends add up to a warning and then 3.1.1, which a connection that holds leaves in place")
    func ends() {
        start().keeper.changed(to: .connecting)
        let second = start()
        #expect(!second.keeper.avoids5)
        #expect(second.state.snapshot.warnings.count == 1 && second.state.snapshot.faults.isEmpty)
        second.keeper.changed(to: .connecting)
        let third = start()
        #expect(third.keeper.avoids5 && third.state.snapshot.faults.isEmpty)
        third.keeper.changed(to: .connecting)
        let fourth = start()
        #expect(fourth.state.snapshot.faults.count == 1 && fourth.state.snapshot.fault(.connection) != nil)
        fourth.keeper.changed(to: .connecting)
        fourth.keeper.changed(to: .subscribed)
        now.value += .seconds(60)
        fourth.keeper.recordIfHeld()
        #expect(fourth.state.snapshot.faults.isEmpty && fourth.state.snapshot.warnings.count == 1)
        #expect(start().keeper.avoids5)
        #expect(marks.value.last == ConnectionMark(boot: "b", isOpen: false, ends: 2, lastEnd: 100))
    }
}
