import Glibc
import SoundboxSystem
import Testing

/// The calling thread's number. Not `pthread_self()`, which glibc declares to be constant: an optimized actor asks it
/// once, before it changes to its own thread.
private func currentThread() -> String {
    var target = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &target, target.count)
    return String(decoding: target.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
}

private actor Card {
    private let executor = ThreadExecutor(name: "card")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var record: [Int] = []
    private var threads: Set<String> = []

    func note(_ number: Int) {
        record.append(number)
        threads.insert(currentThread())
    }

    /// Enqueues jobs from the actor's own thread while it is busy, and returns when all have run.
    func enqueue(_ count: Int) async {
        let tasks = (0..<count).map { number in Task { self.note(number) } }
        for task in tasks { await task.value }
    }

    func results() -> (record: [Int], threads: Set<String>) { (record, threads) }

    func thread() -> String { currentThread() }

    /// Blocks the actor's thread until `queue` has an element.
    func block(on queue: BlockingQueue<Int>) -> Int? { queue.next() }

    nonisolated func isOnItsExecutor() -> Bool {
        assumeIsolated { _ in true }
    }

    func checksItself() -> Bool { isOnItsExecutor() }

    nonisolated var timeInJob: Duration { executor.timeInJob }
}

@Suite("Thread executors", .timeLimit(.minutes(10)))
struct ThreadExecutorTests {
    @Test("An actor's jobs run in the order in which they were enqueued, all on one thread")
    func orderOnOneThread() async {
        let card = Card()
        await card.enqueue(500)
        let (record, threads) = await card.results()
        #expect(record == Array(0..<500))
        #expect(threads.count == 1)
    }

    @Test("Calls from many tasks all run, on that same thread")
    func manyCallers() async {
        let card = Card()
        let thread = await card.thread()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { await card.note(number) } }
        }
        let (record, threads) = await card.results()
        #expect(record.sorted() == Array(0..<200))
        #expect(threads == [thread])
    }

    @Test("Two actors have two threads, and one that blocks does not hold up the other")
    func twoActors() async {
        let blocked = Card()
        let free = Card()
        let gate = BlockingQueue<Int>()
        async let answer = blocked.block(on: gate)
        await free.note(1)
        #expect(await free.results().record == [1])
        gate.append(9)
        #expect(await answer == 9)
        #expect(await blocked.thread() != free.thread())
    }

    @Test("A call that blocks is seen from outside, and over when it returns")
    func timeInJob() async {
        let card = Card()
        #expect(card.timeInJob == .zero)
        let gate = BlockingQueue<Int>()
        async let answer = card.block(on: gate)
        while card.timeInJob < .milliseconds(20) { await Task.yield() }
        gate.append(1)
        #expect(await answer == 1)
        // The caller goes on before the thread has noted that the job is over.
        while card.timeInJob > .zero { await Task.yield() }
    }

    @Test("The actor knows that it runs on its own executor")
    func isolation() async {
        #expect(await Card().checksItself())
    }

    @Test("The thread ends when its actor is gone, and jobs enqueued before then have run")
    func ends() async throws {
        let queue = BlockingQueue<Int>()
        final class Witness: Sendable {
            let queue: BlockingQueue<Int>
            init(queue: BlockingQueue<Int>) { self.queue = queue }
            deinit { queue.append(1) }
        }
        // A thread's own storage is destroyed when it ends; the witness in it then reports.
        actor Mortal {
            private let executor = ThreadExecutor(name: "mortal")
            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

            func leave(_ witness: Witness) {
                var key = pthread_key_t()
                pthread_key_create(&key) { pointer in
                    pointer.map { Unmanaged<Witness>.fromOpaque($0).release() }
                }
                pthread_setspecific(key, Unmanaged.passRetained(witness).toOpaque())
            }
        }
        await Mortal().leave(Witness(queue: queue))
        #expect(try await onOwnThread(named: "listener") { queue.next() } == 1)
    }

    @Test("A task that prefers the executor goes on there after every wait, also where no actor owns it")
    func preference() async {
        let executor = ThreadExecutor(name: "preferred")
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let task = Task(executorPreference: executor) {
            var threads: Set<String> = [currentThread()]
            for await _ in stream { threads.insert(await threadOfNobody()) }
            return threads
        }
        for number in 0..<100 {
            continuation.yield(number)
            await Task.yield()
        }
        continuation.finish()
        #expect(await task.value.count == 1)
    }

    @Test("A thread with nothing to do ticks, and one that is busy ticks between its jobs")
    func tick() async {
        let ticks = BlockingQueue<String>()
        let executor = ThreadExecutor(name: "ticking", every: .milliseconds(1)) { ticks.append(currentThread()) }
        let thread = await Task(executorPreference: executor) { currentThread() }.value
        #expect(ticks.next() == thread)
        let isBusy = Task(executorPreference: executor) {
            while ticks.isEmpty { await Task.yield() }
        }
        await isBusy.value
        #expect(ticks.next() == thread)
    }
}

/// Belongs to no actor.
private func threadOfNobody() async -> String {
    await Task.yield()
    return currentThread()
}
