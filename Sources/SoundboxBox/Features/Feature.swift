import ServiceLifecycle
import SoundboxCore

/// What a part of the box adds to the whole; ``Box`` collects it.
///
/// ```swift
/// extension Doorbell: Feature {
///     var routes: [ControlRoute] { [ControlRoute(.get, "doorbell") { _ in .json(.integer(self.rings)) }] }
///     var metricFamilies: [MetricFamily] { [MetricFamily("soundbox_rings_total", .counter, "How often it rang.", rings)] }
///     func fill(_ status: inout BoxStatus) { status.hasRung = rings > 0 }
/// }
/// ```
protocol Feature: Sendable {
    /// What runs it: itself where it is a service.
    var service: (any Service)? { get }
    /// What it answers on the control socket.
    var routes: [ControlRoute] { get }
    /// Its figures, as they are now. On the status thread; may block on the disk.
    var metricFamilies: [MetricFamily] { get }
    /// Writes its fields. On the status thread; may block on the disk.
    func fill(_ status: inout BoxStatus)
}

extension Feature {
    var service: (any Service)? { nil }
    var routes: [ControlRoute] { [] }
    var metricFamilies: [MetricFamily] { [] }
    func fill(_ status: inout BoxStatus) {}
}

extension Feature where Self: Service {
    var service: (any Service)? { self }
}
