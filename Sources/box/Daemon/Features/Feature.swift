import ServiceLifecycle
import SoundboxCore
import Synchronization

/// What a part of the box adds to its routes, metrics and status; ``Box`` collects it:
///
///     extension Doorbell: Feature {
///         var routes: [ControlRoute] { [ControlRoute(.get, "doorbell") { _ in .json(.integer(self.rings)) }] }
///         var metricFamilies: [MetricFamily] {
///             [MetricFamily("soundbox_doorbell_total", .counter, "Rings since the start.", Double(rings))]
///         }
///     }
protocol Feature: Sendable {
    /// The services that run it: itself if it is one.
    var services: [any Service] { get }
    /// Its routes on the control socket.
    var routes: [ControlRoute] { get }
    /// Its current metrics. On the status thread; may block on the disk.
    var metricFamilies: [MetricFamily] { get }
    /// Writes its fields of the status. On the status thread; may block on the disk.
    func fill(_ status: inout BoxStatus)
}

extension Feature {
    var services: [any Service] { [] }
    var routes: [ControlRoute] { [] }
    var metricFamilies: [MetricFamily] { [] }
    func fill(_ status: inout BoxStatus) {}
}

extension Feature where Self: Service {
    var services: [any Service] { [self] }
}

/// All features of a box, for those that collect what the others add. Any thread; never blocks.
final class FeatureList: Sendable {
    private let content = Mutex<[any Feature]>([])

    var all: [any Feature] { content.withLock { $0 } }

    func set(_ features: [any Feature]) { content.withLock { $0 = features } }
}

// MARK: The end of a box

/// Why a box has stopped.
public enum BoxEnding: Sendable, Equatable {
    /// A signal or a shutdown.
    case stopped
    /// Its buttons took it out of service; the setup is removed.
    case unprovisioned
    /// Its buttons took it out of service; the next start must remove the setup.
    case resetRequested
    /// It has new settings or a new certificate; the caller must make it again.
    case remade
}

/// A service whose end is the end of the box.
package protocol EndingService: Service {
    /// `nil` if another one has ended the box.
    var ending: BoxEnding? { get async }
}
