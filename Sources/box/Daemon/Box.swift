import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The box: makes its features and runs them.
///
///     let box = Box(BoxContext(…))
///     if try await box.run(endingOn: StopSignals()) == .remade { restart() }
///
/// What it consists of, and in which order, is in ``features(in:)``.
public struct Box {
    let services: [any Service]
    private let hasEnded = OneTimeSignal()
    private let features: FeatureList
    private let logger: Logger

    public typealias Ending = BoxEnding

    /// Makes every feature, and runs none. Blocks on the disk.
    package init(_ box: BoxContext) {
        logger = box.logger
        // Doubt the arrival times of earlier runs before anything new arrives. If the disk refuses, the announcer tries
        // again.
        try? box.clock.doubtArrivals(in: box.inbox, logger: logger)
        features = box.features
        features.set(Self.features(in: box))
        services = features.all.flatMap(\.services)
    }

    /// Runs until a shutdown, new settings, a new certificate, or its buttons end it. Then finishes the current
    /// announcement.
    /// - Parameters:
    ///   - signals: end the box, and the process if the box does not end (``ExitDeadline``); `nil` for a box that is not
    ///     the whole program.
    ///   - limit: how long it may take to finish; what is still being said then is cut off, and said again by the next
    ///     box.
    public func run(endingOn signals: StopSignals?, within limit: Duration = .seconds(10)) async throws -> Ending {
        let ending: [any Service] = signals.map { [$0, ExitDeadline(logger: logger, hasEnded: hasEnded)] } ?? []
        let services = services + ending
        let isEnding = Flag()
        var group = ServiceGroupConfiguration(
            services: services.map { service in
                let endsAll = service is any EndingService || service is StopSignals
                // Without a name, the library prints each service with all its properties.
                return .init(
                    service: endsAll ? EndingOnce(service: service, isEnding: isEnding) : service,
                    successTerminationBehavior: endsAll ? .gracefullyShutdownGroup : .cancelGroup,
                    serviceName: "\(type(of: service))")
            },
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        group.maximumGracefulShutdownDuration = limit
        defer {
            hasEnded.signal()
            // They know the list, and it knows them: without this none would ever be released.
            features.set([])
        }
        try await ServiceGroup(configuration: group).run()
        logger.info("stopped")
        // Of two that end it at once the first in the list counts.
        for case let service as any EndingService in services {
            if let ending = await service.ending { return ending }
        }
        return .stopped
    }
}

/// A service whose end is the end of the box, unless the box ends already: then it waits for its turn. A service group
/// takes one that finishes before its turn for a failure, and cancels all others, also in the middle of an amount.
private struct EndingOnce: Service {
    let service: any Service
    let isEnding: Flag

    func run() async throws {
        try await service.run()
        if isEnding.value.exchange(true, ordering: .relaxed) { try? await gracefulShutdown() }
    }
}

/// Whether a service has ended the box already.
private final class Flag: Sendable {
    let value = Atomic(false)
}
