import ServiceLifecycle
import SoundboxCore

/// What a part of the box adds to its routes, metrics and status; ``Box`` collects it:
///
///     extension Doorbell: Feature {
///         var routes: [ControlRoute] { [ControlRoute(.get, "doorbell") { _ in .json(.integer(self.rings)) }] }
///         var metricFamilies: [MetricFamily] {
///             [MetricFamily("soundbox_doorbell_total", .counter, "Rings since the start.", Double(rings))]
///         }
///     }
protocol Feature: Sendable {
    /// The service that runs it: itself if it is one.
    var service: (any Service)? { get }
    /// Its routes on the control socket.
    var routes: [ControlRoute] { get }
    /// Its current metrics. On the status thread; may block on the disk.
    var metricFamilies: [MetricFamily] { get }
    /// Writes its fields of the status. On the status thread; may block on the disk.
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
