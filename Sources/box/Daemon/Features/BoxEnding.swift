import ServiceLifecycle

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
