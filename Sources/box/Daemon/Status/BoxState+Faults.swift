import SoundboxCore

extension BoxState {
    /// The kinds of faults. The raw values are label values of the metrics.
    package enum FaultKind: String, Sendable, CaseIterable {
        case audio
        case speech
        case connection
        case broker
        case session
        case topic
        case inbox
        case inboxDamage = "inbox_damage"
        case volatileStorage = "volatile_storage"
        case panel
        case certificate
        case clock
        case signedTime = "signed_time"
        case paidAt = "paid_at"
        case unavailableRecordings = "unavailable_recordings"
        case unusableRecordings = "unusable_recordings"
    }
}

extension BoxState.Snapshot {
    /// All faults, in words for people.
    package var faults: [String] { BoxState.FaultKind.allCases.compactMap(fault) }

    /// The fault of a kind, in words for people; `nil` for none.
    package func fault(_ kind: BoxState.FaultKind) -> String? {
        switch kind {
        case .audio: audioFault
        case .speech: speechFault
        case .connection: connectionFault
        case .broker: feedFaults.first(where: \.stopsPayments)?.description
        case .session: sessionFault
        case .topic: topicFault?.reason
        case .inbox: inboxFault
        case .inboxDamage: inboxDamage
        case .volatileStorage: volatileStorage
        case .panel: panelFault
        case .certificate: certificateFault
        case .clock: clockFault
        case .signedTime: signedTimeFault
        case .paidAt: paidAtWatch.fault
        case .unavailableRecordings: unavailableRecordings
        case .unusableRecordings where unusableRecordings > 0:
            "\(unusableRecordings) recordings cannot be played; see the log, and install the voice's package again"
        case .unusableRecordings: nil
        }
    }
}
