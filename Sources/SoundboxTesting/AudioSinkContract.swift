import SoundboxCore

/// What ``AudioSink`` promises, as rules that every sink is held against.
///
/// ```swift
/// @Test("The sink keeps the contract", arguments: AudioSinkContract.allCases)
/// func contract(rule: AudioSinkContract) async {
///     #expect(await rule.problem(with: MySink()) == nil)
/// }
/// ```
public enum AudioSinkContract: String, Sendable, CaseIterable {
    case opensWithAUsableFormat
    case staysOpenWhenOpenedAgain
    case takesAPeriodOneFrameAndNothing
    case playsSeveralAnnouncementsOnOneOpening
    case playsMorePeriodsThanABufferHolds
    case drainsAtOnceWhenNothingWasWritten
    case drainsAtOnceWhenClosed
    case closesWhenNotOpen
    case opensAgainAfterClosing

    /// Tries the rule on a sink that nobody has used yet and that is able to play, and closes it.
    /// - Returns: what is wrong, or `nil` when the sink keeps the rule.
    public func problem(with sink: any AudioSink) async -> String? {
        let problem: String?
        do throws(AudioSinkError) {
            problem = try await attempt(on: sink)
        } catch {
            problem = "throws: \(error)"
        }
        await sink.close()
        return problem
    }

    private func attempt(on sink: any AudioSink) async throws(AudioSinkError) -> String? {
        switch self {
        case .opensWithAUsableFormat:
            return Self.problem(with: try await sink.open())

        case .staysOpenWhenOpenedAgain:
            let format = try await sink.open()
            try await sink.write(Self.silence(format, frames: 1))
            let again = try await sink.open()
            try await sink.drain()
            return again == format ? nil : "the format changed from \(format) to \(again) while it was open"

        case .takesAPeriodOneFrameAndNothing:
            let format = try await sink.open()
            for frames in [format.framesPerPeriod, 1, 0] { try await sink.write(Self.silence(format, frames: frames)) }
            try await sink.drain()

        case .playsSeveralAnnouncementsOnOneOpening:
            let format = try await sink.open()
            for _ in 1...3 {
                try await sink.write(Self.silence(format, frames: format.framesPerPeriod))
                try await sink.write(Self.silence(format, frames: format.framesPerPeriod / 2))
                try await sink.drain()
            }

        case .playsMorePeriodsThanABufferHolds:
            let format = try await sink.open()
            let period = Self.silence(format, frames: format.framesPerPeriod)
            for _ in 1...20 { try await sink.write(period) }
            try await sink.drain()

        case .drainsAtOnceWhenNothingWasWritten:
            _ = try await sink.open()
            try await sink.drain()
            try await sink.drain()

        case .drainsAtOnceWhenClosed:
            try await sink.drain()

        case .closesWhenNotOpen:
            await sink.close()
            _ = try await sink.open()
            await sink.close()
            await sink.close()

        case .opensAgainAfterClosing:
            let format = try await sink.open()
            try await sink.write(Self.silence(format, frames: format.framesPerPeriod))
            await sink.close()
            let again = try await sink.open()
            try await sink.write(Self.silence(again, frames: again.framesPerPeriod))
            try await sink.drain()
            return Self.problem(with: again)
        }
        return nil
    }

    private static func silence(_ format: PCMFormat, frames: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: frames * format.bytesPerFrame)
    }

    private static func problem(with format: PCMFormat) -> String? {
        guard (8_000...192_000).contains(format.sampleRate) else { return "\(format.sampleRate) Hz is out of range" }
        guard format.channelCount > 0 else { return "it has no channel" }
        guard format.framesPerPeriod > 0 else { return "its period is empty" }
        return nil
    }
}
