import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization
import Testing

@testable import SoundboxBox

@Suite("A lost session is told")
struct SessionKeeperTests {
    /// A disk for one record.
    private final class Disk: Sendable {
        struct Full: Error {}
        let record = Mutex<SessionRecord?>(nil)
        let isFull = Mutex(false)

        var store: Remembered<SessionRecord> {
            Remembered(
                read: { self.record.withLock { $0 } },
                write: { record in
                    if self.isFull.withLock({ $0 }) { throw Full() }
                    self.record.withLock { $0 = record }
                })
        }
    }

    private let disk = Disk()
    private let now = Mutexed(Duration.seconds(100))

    /// A box that starts.
    private func box() -> (keeper: SessionKeeper, state: BoxState) {
        let state = BoxState(volume: Volume(80))
        let keeper = SessionKeeper(
            store: disk.store, state: state, clock: BoxClock(newestKnown: nil),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: { now.value })
        return (keeper, state)
    }

    private func connection(_ isResumed: Bool) -> FeedSession {
        FeedSession(clientID: "box", broker: "mqtt://h:1883", isResumed: isResumed)
    }

    @Test("The first session is no fault; one in its place is, which the disk knows before the connection is used")
    func lost() throws {
        let (keeper, state) = box()
        keeper.began(connection(false))
        #expect(state.snapshot.faults.isEmpty)
        #expect(state.snapshot.session.map { [$0.epoch, $0.isResumed ? 1 : 0] } == [1, 0])
        keeper.began(connection(true))
        #expect(state.snapshot.session?.isResumed == true && state.snapshot.broker == "mqtt://h:1883")
        keeper.began(connection(false))
        #expect(disk.record.withLock { $0 }?.hasLoss == true)
        #expect(state.snapshot.faults.first?.contains("has lost this box's session") == true)
        #expect(state.snapshot.session?.epoch == 2)
    }

    @Test("The fault outlives restarts and further connections, until the sender has reconciled, by the right number")
    func reconciled() {
        box().keeper.began(connection(false))
        box().keeper.began(connection(false))
        let (keeper, state) = box()
        #expect(state.snapshot.sessionFault != nil)
        keeper.began(connection(true))
        #expect(state.snapshot.sessionFault != nil)
        #expect(keeper.reconciled(epoch: 1) == "session_epoch: that of the session is 2, and this is 1")
        #expect(state.snapshot.sessionFault != nil)
        #expect(keeper.reconciled(epoch: 2) == nil)
        #expect(state.snapshot.sessionFault == nil)
        #expect(keeper.reconciled(epoch: 2) == nil)
        #expect(box().state.snapshot.sessionFault == nil)
    }

    @Test("After an hour of running nobody is told any more; another loss begins anew")
    func hour() {
        box().keeper.began(connection(false))
        let (keeper, state) = box()
        keeper.began(connection(false))
        now.value += .seconds(3599)
        keeper.runHousekeeping()
        #expect(state.snapshot.sessionFault != nil)
        keeper.began(connection(false))
        now.value += .seconds(3599)
        keeper.runHousekeeping()
        #expect(state.snapshot.sessionFault != nil)
        now.value += .seconds(1)
        keeper.runHousekeeping()
        #expect(state.snapshot.sessionFault == nil && disk.record.withLock { $0 }?.hasLoss == false)
    }

    @Test("A disk that is full hides no loss, and is tried again")
    func full() {
        box().keeper.began(connection(false))
        disk.isFull.withLock { $0 = true }
        let (keeper, state) = box()
        keeper.began(connection(false))
        #expect(state.snapshot.sessionFault != nil && disk.record.withLock { $0 }?.epoch == 1)
        disk.isFull.withLock { $0 = false }
        keeper.runHousekeeping()
        #expect(disk.record.withLock { $0 }?.epoch == 2)
    }

    @Test("Before the first connection no number is right")
    func unknown() { #expect(box().keeper.reconciled(epoch: 1)?.hasPrefix("session_epoch: ") == true) }
}
