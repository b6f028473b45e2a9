import CoreMetrics
import SoundboxCore
import Synchronization

/// Where what is emitted through swift-metrics is kept until somebody asks: a counter is an atomic, a histogram has a
/// short lock of its own. Any thread; nothing blocks.
///
/// One for each box, never the process-wide one of `MetricsSystem`: two boxes in a process do not count each other's
/// payments.
package final class MetricsRegistry: MetricsFactory {
    /// What the text says beside the figures.
    package struct Description: Sendable {
        package var help: String
        /// Of a timer in seconds, of a recorder in its own unit.
        package var bounds: [Double]

        package init(help: String, bounds: [Double] = []) { (self.help, self.bounds) = (help, bounds) }
    }

    private struct Key: Hashable {
        var name: String
        var labels: [MetricFamily.Label]
    }

    private struct Content {
        /// In the order of their first emission.
        var keys: [Key] = []
        var cells: [Key: any MetricCell] = [:]
        /// A name is of one kind, whoever made it first.
        var kinds: [String: MetricFamily.Kind] = [:]
    }

    private let descriptions: [String: Description]
    private let content = Mutex(Content())

    package init(_ descriptions: [String: Description] = [:]) { self.descriptions = descriptions }

    /// What has been emitted so far.
    package var families: [MetricFamily] {
        let (keys, cells, kinds) = content.withLock { ($0.keys, $0.cells, $0.kinds) }
        var families: [MetricFamily] = []
        for key in keys {
            guard let cell = cells[key], let kind = kinds[key.name] else { continue }
            let series = MetricFamily.Series(key.labels, cell.value)
            if let index = families.firstIndex(where: { $0.name == key.name }) {
                families[index].series.append(series)
            } else {
                families.append(MetricFamily(key.name, kind, descriptions[key.name]?.help ?? "", [series]))
            }
        }
        return families
    }

    // MARK: For swift-metrics

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, dimensions, .counter) { CounterCell() } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let bounds = bounds(of: label)
        guard aggregate else {
            return cell(label, dimensions, .gauge) { GaugeCell() } ?? NOOPMetricsHandler.instance
        }
        return cell(label, dimensions, .histogram) { HistogramCell(bounds) } ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let bounds = bounds(of: label)
        return cell(label, dimensions, .histogram) { HistogramCell(bounds) } ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

    private func bounds(of label: String) -> [Double] { descriptions[label]?.bounds ?? [] }

    /// - Returns: `nil` where the name is of another kind already; what is emitted there goes nowhere.
    private func cell<Made: MetricCell>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, _ make: () -> Made
    ) -> Made? {
        let key = Key(name: label, labels: dimensions.map { .init($0.0, $0.1) })
        return content.withLock { content in
            guard content.kinds[label, default: kind] == kind else { return nil }
            if let known = content.cells[key] { return known as? Made }
            let cell = make()
            content.keys.append(key)
            content.cells[key] = cell
            content.kinds[label] = kind
            return cell
        }
    }

    private func forget(_ handler: AnyObject) {
        content.withLock { content in
            guard let key = content.cells.first(where: { $0.value === handler })?.key else { return }
            content.cells[key] = nil
            content.keys.removeAll { $0 == key }
            if !content.keys.contains(where: { $0.name == key.name }) { content.kinds[key.name] = nil }
        }
    }
}

extension MetricsRegistry: Feature {
    var metricFamilies: [MetricFamily] { families }
}

/// One series.
private protocol MetricCell: AnyObject, Sendable {
    var value: MetricFamily.Value { get }
}

private final class CounterCell: MetricCell, CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: MetricFamily.Value { .number(Double(count.load(ordering: .relaxed))) }
    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

private final class GaugeCell: MetricCell, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    var value: MetricFamily.Value { .number(Double(bitPattern: bits.load(ordering: .relaxed))) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
}

private final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private let histogram: Mutex<MetricHistogram>

    init(_ bounds: [Double]) { histogram = Mutex(MetricHistogram(bounds: bounds)) }

    var value: MetricFamily.Value { .histogram(histogram.withLock { $0 }) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.record(value) } }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
