import Glibc

/// A sleep that other threads can end: one thread sleeps until a moment, any thread interrupts it.
///
///     let interruption = Interruption()
///     startThread(named: "sleeper") { interruption.sleep(until: .monotonicNow + .seconds(60)) }
///     interruption.raise()
///
/// An interruption lasts until it is taken back: a sleep that begins meanwhile ends at once.
public final class Interruption: @unchecked Sendable {
    // Sendable because every access to `isRaised` holds `mutex`.
    private var isRaised = false
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

    /// Ends the sleep. Any thread; blocks only while another thread holds the lock; harmless when called again.
    public func raise() {
        pthread_mutex_lock(mutex)
        isRaised = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    public func clear() {
        pthread_mutex_lock(mutex)
        isRaised = false
        pthread_mutex_unlock(mutex)
    }

    public var isInForce: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return isRaised
    }

    /// Blocks until `moment`, a time of `Duration.monotonicNow`, or until interrupted.
    public func sleep(until moment: Duration) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var time = timespec(moment)
        while !isRaised, pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT {}
    }
}

/// Waits on the condition use `Duration.monotonicNow`, which nobody can set.
func initializeMonotonicCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
}

extension timespec {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = max(duration, .zero).components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
