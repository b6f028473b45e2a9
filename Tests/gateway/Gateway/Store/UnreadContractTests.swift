import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The contract of a store: unread webhooks")
struct UnreadContractTests {
    private let folder: TemporaryFolder
    private let now = Moment.start

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    @Test(
        "What is read of an unread webhook is stored as it is deleted, or stays with the new reason",
        arguments: TrialStore.allCases)
    func readAgain(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        let outcomes = try store.accept([webhook("1"), Submission([(trialBox, notice("A"))]), webhook("1")], at: now)
        #expect(outcomes.map { $0.unread?.count } == [1, nil, 2])
        #expect(try store.accept([(trialBox, notice("B"))], problems: ["y"], ofUnread: 1, at: now) == "y")
        #expect(try store.unread(1)?.reason == "y")
        let differs = try store.accept([(trialBox, notice("A", "1"))], problems: [], ofUnread: 1, at: now)
        #expect(differs?.contains("is known with another amount") == true)
        #expect(try store.accept([(trialBox, notice("C"))], problems: [], ofUnread: 1, at: now) == nil)
        #expect(try store.unreadCount() == 0 && store.unread(1) == nil)
        #expect(try ["B", "C"].map { try store.state($0) } == [.accepted, .accepted])
    }

    private func webhook(_ document: String) -> Submission {
        .init([], webhook: GenuineWebhook(hook: "shop", path: "/", document: Array(document.utf8)), problems: ["x"])
    }

    @Test("Beyond a number, or a size, the oldest are deleted", arguments: TrialStore.allCases)
    func limits(kind: TrialStore) async throws {
        var limits = UnreadLimits()
        (limits.rows, limits.bytes) = (3, 100)
        let store = try await kind.make(in: folder, limits: limits)
        func add(_ documents: String...) throws -> [Int] {
            try store.accept(documents.map(webhook), at: store.clock.now).map { $0.unread?.deleted ?? -1 }
        }
        #expect(try add("a", "b", "c") == [0, 0, 0])
        #expect(try add("a") == [0], "it is there already")
        #expect(try add("d", "e") == [0, 2])
        #expect(try store.unreadNumbers().count == 3)
        #expect(try add(String(repeating: "f", count: 99)) == [2], "one byte is left beside it")
        let last = try store.unreadNumbers().compactMap(store.unread).map(\.webhook.document.count)
        #expect(last == [1, 99])
        #expect(UnreadLimits().rows == 10_000 && UnreadLimits().bytes == 67_108_864)
    }

    @Test("It is deleted with the payments of its time; the same bytes are then new", arguments: TrialStore.allCases)
    func pruned(kind: TrialStore) async throws {
        let store = try await kind.make(in: folder)
        _ = try store.accept([webhook("old")], at: now + .seconds(-1000))
        _ = try store.accept([webhook("new")], at: now)
        // It came first long ago, whenever it came last.
        _ = try store.accept([webhook("old")], at: now)
        _ = try store.prune(before: .seconds(-10), limit: 9)
        #expect(try store.unreadNumbers().compactMap(store.unread).map(\.webhook.document) == [Array("new".utf8)])
        let again = try store.accept([webhook("old")], at: now).first?.unread
        #expect(again?.count == 1 && again?.number == 3)
    }
}
