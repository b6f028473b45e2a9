import TestSupport
import Testing

extension VirtualBoardTests {
    @Suite("The watchdog", .timeLimit(.minutes(10)))
    struct WatchdogTests {
        @Test("A box that hangs is noticed: the board starts again, and what was paid meanwhile is spoken")
        func hang() async throws {
            try await withMosquitto(in: try TemporaryFolder()) { broker in
                let disk = try await Disk()
                func boot() async throws -> (VirtualBoard, BoxOnBoard) {
                    let board = try await VirtualBoard(folder: try TemporaryFolder(), disk: disk.path)
                    return (
                        board,
                        try BoxOnBoard(
                            on: board, port: broker.port, state: "box", device: "null", logOutlivesBoard: true)
                    )
                }
                let (board, box) = try await boot()
                try await box.start(watchedFor: 4)
                try await box.publish(("W-1", "1"))
                try await box.logged(" announced id=W-1")
                // Three times as long as the watchdog waits.
                try await board.run("sleep 12")

                try await board.run("kill -STOP $box")
                try await box.publish(("W-2", "2"))
                try await board.reset()

                let (boardAgain, boxAgain) = try await boot()
                try await boxAgain.start(watchedFor: 4)
                try await boxAgain.logged(" announced id=W-2")
                #expect(try await boxAgain.begunAnnouncements == ["W-2"])
                try await boardAgain.cutPower()
            }
        }
    }
}
