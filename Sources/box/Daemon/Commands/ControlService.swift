import ServiceLifecycle
import SoundboxCore

/// Serves the routes and metrics of all features.
struct ControlService: Feature {
    private let box: BoxContext
    private let reporter: StatusReporter

    init(in box: BoxContext, _ reporter: StatusReporter) { (self.box, self.reporter) = (box, reporter) }

    var services: [any Service] {
        box.serve(box.features.all.flatMap(\.routes)) { [reporter] in await reporter.allMetrics() }
    }
}
