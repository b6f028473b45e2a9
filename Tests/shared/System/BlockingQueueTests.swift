import SoundboxSystem
import Testing

@Suite("Blocking queues", .timeLimit(.minutes(10)))
struct BlockingQueueTests {
    @Test("Elements come out in the order in which they went in")
    func order() {
        let queue = BlockingQueue<Int>()
        for number in 0..<1000 { queue.append(number) }
        #expect((0..<1000).map { _ in queue.next() } == Array(0..<1000))
    }

    @Test("Finishing lets what was appended before be taken, and then gives nil for ever")
    func finish() {
        let queue = BlockingQueue<Int>()
        queue.append(1)
        queue.append(2)
        queue.finish()
        queue.finish()
        #expect([queue.next(), queue.next(), queue.next(), queue.next()] == [1, 2, nil, nil])
    }

    @Test("A consumer that sleeps is woken by an element, and by the end")
    func wakes() async throws {
        let queue = BlockingQueue<Int>()
        let answers = BlockingQueue<Int>()
        async let taken = onOwnThread(named: "consumer") {
            var taken: [Int] = []
            while let number = queue.next() {
                taken.append(number)
                answers.append(number)
            }
            return taken
        }
        for number in 0..<100 {
            queue.append(number)
            // Waits until the consumer has taken it, so that it sleeps again before the next.
            let answer = try await onOwnThread(named: "answer") { answers.next() }
            #expect(answer == number)
        }
        queue.finish()
        #expect(try await taken == Array(0..<100))
    }

    @Test("A consumer with a deadline takes what is there, and returns at the deadline when nothing is")
    func deadline() {
        let queue = BlockingQueue<Int>()
        queue.append(1)
        guard case .element(1) = queue.next(until: .zero) else { return #expect(Bool(false), "1 was not taken") }
        guard case .timedOut = queue.next(until: .zero) else { return #expect(Bool(false), "nothing was waited for") }
        guard case .timedOut = queue.next(until: .monotonicNow + .milliseconds(5)) else {
            return #expect(Bool(false), "something came out")
        }
        queue.append(2)
        queue.finish()
        guard case .element(2) = queue.next(until: nil) else { return #expect(Bool(false), "2 was not taken") }
        for deadline in [nil, Duration.monotonicNow + .seconds(86_400)] {
            guard case .finished = queue.next(until: deadline) else {
                return #expect(Bool(false), "it does not end")
            }
        }
    }

    @Test("An element wakes a consumer long before its deadline")
    func wakesBeforeDeadline() async throws {
        let queue = BlockingQueue<Int>()
        let taken = try await onOwnThread(named: "consumer") { () -> Int? in
            startThread(named: "producer") { queue.append(7) }
            guard case .element(let element) = queue.next(until: .monotonicNow + .seconds(86_400)) else { return nil }
            return element
        }
        #expect(taken == 7)
    }

    @Test("A queue that is abandoned gives back what nobody took, and ends")
    func abandoned() {
        let queue = BlockingQueue<Int>()
        for number in 1...3 { queue.append(number) }
        #expect(queue.next() == 1)
        #expect(queue.abandon() == [2, 3])
        #expect(queue.next() == nil)
    }

    @Test("Every consumer that sleeps wakes at the end")
    func everyConsumerWakes() async throws {
        let queue = BlockingQueue<Int>()
        let ended = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { try await onOwnThread(named: "consumer") { queue.next() == nil } } }
            queue.finish()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ended == 4)
    }

    @Test("Several producers and consumers lose and repeat nothing, and each producer's order is kept")
    func manyThreads() async throws {
        let queue = BlockingQueue<(producer: Int, number: Int)>()
        let taken = try await withThrowingTaskGroup(of: [(producer: Int, number: Int)].self) { consumers in
            for _ in 0..<3 {
                consumers.addTask {
                    try await onOwnThread(named: "consumer") {
                        var taken: [(producer: Int, number: Int)] = []
                        while let element = queue.next() { taken.append(element) }
                        return taken
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { producers in
                for producer in 0..<3 {
                    producers.addTask {
                        try await onOwnThread(named: "producer") {
                            for number in 0..<2000 { queue.append((producer, number)) }
                        }
                    }
                }
                try await producers.waitForAll()
            }
            queue.finish()
            return try await consumers.reduce(into: []) { $0.append($1) }
        }
        for producer in 0..<3 {
            for consumer in taken {
                let numbers = consumer.filter { $0.producer == producer }.map(\.number)
                #expect(numbers == numbers.sorted())
            }
            #expect(taken.joined().filter { $0.producer == producer }.map(\.number).sorted() == Array(0..<2000))
        }
    }
}
