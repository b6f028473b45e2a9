import Glibc

/// A first-in, first-out queue. Its consumer is a thread that sleeps in ``next()``.
///
///     let queue = BlockingQueue<String>()
///     startThread(named: "writer") { while let line = queue.next() { print(line) } }
///     queue.append("hello")
///     queue.finish()
public final class BlockingQueue<Element: Sendable>: @unchecked Sendable {
    // Sendable because every access to the two fields below holds `mutex`.
    private var elements: [Element] = []
    private var isFinished = false
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        initializeMonotonicCondition(condition)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Appends an element. Any thread; blocks only while another thread is in such a call.
    public func append(_ element: Element) {
        pthread_mutex_lock(mutex)
        elements.append(element)
        pthread_mutex_unlock(mutex)
        // After unlocking: otherwise the woken thread would wait for the lock.
        pthread_cond_signal(condition)
    }

    /// Whether the queue is empty. Any thread; blocks only as ``append(_:)`` does.
    public var isEmpty: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return elements.isEmpty
    }

    /// Makes ``next()`` return `nil` once everything appended before has been taken. Any thread.
    public func finish() {
        pthread_mutex_lock(mutex)
        isFinished = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Finishes at once and removes the waiting elements.
    /// - Returns: the elements that were not taken, the oldest first.
    public func abandon() -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isFinished = true
        pthread_cond_broadcast(condition)
        defer { elements = [] }
        return elements
    }

    /// Takes the oldest element. Blocks while there is none; `nil` after ``finish()``.
    public func next() -> Element? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while elements.isEmpty {
            if isFinished { return nil }
            pthread_cond_wait(condition, mutex)
        }
        return elements.removeFirst()
    }

    /// The result of ``next(until:)``.
    public enum Outcome {
        case element(Element)
        case timedOut
        /// Like `nil` from ``next()``.
        case finished
    }

    /// Takes the oldest element. Blocks while there is none, until `deadline` at most.
    /// - Parameter deadline: a time of `Duration.monotonicNow`; `nil` for none.
    public func next(until deadline: Duration?) -> Outcome {
        guard let deadline else { return next().map { .element($0) } ?? .finished }
        var time = timespec(deadline)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while elements.isEmpty {
            if isFinished { return .finished }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT, elements.isEmpty { return .timedOut }
        }
        return .element(elements.removeFirst())
    }
}
