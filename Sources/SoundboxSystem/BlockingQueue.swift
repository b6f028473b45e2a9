import Glibc

/// A first-in, first-out queue. Its consumer is a thread that sleeps in ``next()``.
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

    /// Appends an element. Blocks no longer than another thread's call of this takes.
    public func append(_ element: Element) {
        pthread_mutex_lock(mutex)
        elements.append(element)
        pthread_mutex_unlock(mutex)
        // Behind the lock: the thread that wakes would only wait for it.
        pthread_cond_signal(condition)
    }

    /// Whether nothing waits. Blocks as ``append(_:)`` does.
    public var isEmpty: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return elements.isEmpty
    }

    /// Makes ``next()`` return `nil` once everything appended before has been taken.
    public func finish() {
        pthread_mutex_lock(mutex)
        isFinished = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Finishes at once, and takes back what waits.
    /// - Returns: the elements that nobody has taken, the oldest first.
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

    /// What a wait with an end came to.
    public enum Outcome {
        case element(Element)
        case timedOut
        /// As ``next()`` returns `nil`.
        case finished
    }

    /// Takes the oldest element. Blocks while there is none, until `deadline` at most.
    /// - Parameter deadline: a time of `Duration.monotonicNow`; `nil` for ever.
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
