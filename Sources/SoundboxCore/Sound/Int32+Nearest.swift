extension Int32 {
    /// The integer nearest to `value`, halves away from zero, like `rounded()`. On the oldest supported processor,
    /// which has no instruction for it, `rounded()` is a call of the C library for each of 48,000 samples a second.
    ///
    /// - Parameter value: within ±(2³¹ − 1); traps beyond. Only for the last number before ±½ the result differs: it is
    ///   ±1.
    @inlinable @inline(__always)
    public init(nearest value: Double) {
        self.init(value + (value < 0 ? -0.5 : 0.5))
    }
}
