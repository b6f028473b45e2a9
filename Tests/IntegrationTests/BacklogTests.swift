import Glibc
import SoundboxCore
import SoundboxStore
import TestSupport
import Testing

@Suite("A backlog at the broker", .timeLimit(.minutes(5)))
struct BacklogTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Two thousand notices that waited at the broker are taken in by group commits while the first is spoken")
    func twoThousand() async throws {
        let count = 2000
        let configuration = ["allow_anonymous true", "max_queued_messages 0"]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            // In real time: they must all be in long before the first few have been spoken.
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            // Its announcer is ready, and it is frozen rather than stopped while the backlog grows.
            try await trial.publish([notice("first", "1")])
            try await box.logged(" announced ", "id=first")
            kill(box.id, SIGSTOP)
            try await trial.publish((1...count).map { notice("b-\($0)", "\($0)") })
            kill(box.id, SIGCONT)
            try await box.logged("stored", "id=b-\(count)")
            try await box.logged("announced", "id=b-1")
            #expect(try await box.stop() == 0)
            let lines = box.errors.entries
            // The first was being spoken before the last had arrived, and the connection held all the while.
            let firstSpoken = try #require(lines.firstIndex { $0.contains("announcing id=b-1 ") })
            let lastStored = try #require(lines.firstIndex { $0.contains(" stored ") && $0.contains("id=b-\(count)") })
            #expect(firstSpoken < lastStored)
            #expect(!lines.contains { $0.contains("offline") })
            let inbox = try SQLiteInbox(path: trial.inbox)
            let counts = try inbox.counts()
            #expect(counts.waiting + counts.announced == count + 1)
            let waiting = try inbox.waiting(limit: count).map(\.notice.id.text)
            #expect(waiting == (counts.announced...count).map { "b-\($0)" })
        }
    }
}
