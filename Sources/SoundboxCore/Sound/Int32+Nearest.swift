extension Int32 {
    /// The whole number next to `value`, halves away from zero, as `rounded()` has it. Where the oldest supported processor
    /// has no instruction for it, `rounded()` is a call of the C library, for each of 48,000 samples a second.
    ///
    /// - Parameter value: within ±(2³¹ − 1); traps beyond. Of all numbers only the last one before ±½ comes out otherwise,
    ///   as ±1.
    @inlinable @inline(__always)
    public init(nearest value: Double) {
        self.init(value + (value < 0 ? -0.5 : 0.5))
    }
}
