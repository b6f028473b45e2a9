/// One metric of the box with all its series, in Prometheus' terms.
///
///     let family = MetricFamily("soundbox_volume", .gauge, "Volume, 0 to 100.", 80)
///     let text = PrometheusText.text([family])
public struct MetricFamily: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public struct Label: Sendable, Hashable {
        public var name: String
        /// Any text: it is escaped when it is written.
        public var value: String

        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    public enum Value: Sendable, Equatable {
        case number(Double)
        case histogram(MetricHistogram)
    }

    public struct Series: Sendable, Equatable {
        public var labels: [Label]
        public var value: Value

        public init(_ labels: [Label] = [], _ value: Value) { (self.labels, self.value) = (labels, value) }
    }

    /// With the base unit as its suffix (`_seconds`, `_bytes`), and `_total` for a value that only rises.
    public var name: String
    public var kind: Kind
    /// For people; may be empty.
    public var help: String
    public var series: [Series]

    public init(_ name: String, _ kind: Kind, _ help: String, _ series: [Series]) {
        (self.name, self.kind, self.help, self.series) = (name, kind, help, series)
    }

    /// One series without labels.
    public init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        self.init(name, kind, help, [Series([], .number(value))])
    }
}

/// How many values lay within which bounds.
public struct MetricHistogram: Sendable, Equatable {
    /// Each bucket's upper bound, rising. Larger values have a bucket of their own.
    public let bounds: [Double]
    /// For each bucket by itself, and for values above the last bound.
    public private(set) var counts: [Int]
    /// The sum of all recorded values.
    public private(set) var sum = 0.0

    public init(bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    /// Allocates nothing.
    public mutating func record(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}
