extension Int32 {
    /// The integer nearest to `value`; a half becomes the even one of the two.
    ///
    /// Adding 1.5 · 2⁵² leaves no place for a fraction, so the addition rounds, and the integer stands in the lowest bits.
    /// Nothing traps and nothing is called, so a loop over samples is vectorised on the oldest supported processor. There
    /// `rounded()` is a call of the C library for each of 48,000 samples a second.
    ///
    /// - Parameter value: within ±(2³¹ − 1); beyond, the result has no meaning.
    @inlinable @inline(__always)
    public init(nearest value: Double) {
        self.init(truncatingIfNeeded: (value + 6_755_399_441_055_744).bitPattern)
    }
}
