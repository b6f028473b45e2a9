import SoundboxCore
import SoundboxSystem

/// The contract of ``AudioSink``, as rules that every sink is tested with.
///
///     @Test("The sink keeps the contract", arguments: AudioSinkContract.allCases)
///     func contract(rule: AudioSinkContract) {
///         #expect(rule.problem(with: MySink()) == nil)
///     }
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
    case takesSeveralPeriodsAtOnce
    case interruptEndsWhatFollows
    case interruptEndsWhatGoesOn
    case openingTakesAnInterruptBack
    case aLookDisturbsNothing

    /// Tests the rule on an unused sink that can play, and closes it. Blocks.
    /// - Returns: the problem; `nil` if the sink keeps the rule.
    public func problem(with sink: any AudioSink) -> String? {
        let problem: String?
        do throws(AudioSinkError) {
            problem = try attempt(on: sink)
        } catch {
            problem = "throws: \(error)"
        }
        sink.close()
        return problem
    }

    private func attempt(on sink: any AudioSink) throws(AudioSinkError) -> String? {
        switch self {
        case .opensWithAUsableFormat:
            return Self.problem(with: try sink.open())

        case .staysOpenWhenOpenedAgain:
            let format = try sink.open()
            try sink.write(Self.silence(format, frames: 1))
            let again = try sink.open()
            try sink.drain()
            return again == format ? nil : "the format changed from \(format) to \(again) while it was open"

        case .takesAPeriodOneFrameAndNothing:
            let format = try sink.open()
            for frames in [format.framesPerPeriod, 1, 0] { try sink.write(Self.silence(format, frames: frames)) }
            try sink.drain()

        case .playsSeveralAnnouncementsOnOneOpening:
            let format = try sink.open()
            for _ in 1...3 {
                try sink.write(Self.silence(format, frames: format.framesPerPeriod))
                try sink.write(Self.silence(format, frames: format.framesPerPeriod / 2))
                try sink.drain()
            }

        case .playsMorePeriodsThanABufferHolds:
            let format = try sink.open()
            let period = Self.silence(format, frames: format.framesPerPeriod)
            for _ in 1...20 { try sink.write(period) }
            try sink.drain()

        case .drainsAtOnceWhenNothingWasWritten:
            _ = try sink.open()
            try sink.drain()
            try sink.drain()

        case .drainsAtOnceWhenClosed:
            try sink.drain()

        case .closesWhenNotOpen:
            sink.close()
            _ = try sink.open()
            sink.close()
            sink.close()

        case .opensAgainAfterClosing:
            let format = try sink.open()
            try sink.write(Self.silence(format, frames: format.framesPerPeriod))
            sink.close()
            let again = try sink.open()
            try sink.write(Self.silence(again, frames: again.framesPerPeriod))
            try sink.drain()
            return Self.problem(with: again)

        case .takesSeveralPeriodsAtOnce:
            let format = try sink.open()
            try sink.write(Self.silence(format, frames: format.framesPerPeriod * 12 + 1))
            try sink.drain()

        case .interruptEndsWhatFollows:
            let format = try sink.open()
            try sink.write(Self.silence(format, frames: format.framesPerPeriod))
            sink.interrupt()
            if try !isInterrupted({ () throws(AudioSinkError) in try sink.write(Self.silence(format, frames: 1)) }) {
                return "a write after the interrupt is not interrupted"
            }
            if try !isInterrupted({ () throws(AudioSinkError) in try sink.drain() }) {
                return "a drain after the interrupt is not interrupted"
            }

        case .interruptEndsWhatGoesOn:
            let format = try sink.open()
            let period = Self.silence(format, frames: format.framesPerPeriod)
            let hasFilledBuffer = BlockingQueue<Never>()
            startThread(named: "interrupter") {
                _ = hasFilledBuffer.next()
                sink.interrupt()
            }
            for number in 0... {
                if number == 10 { hasFilledBuffer.finish() }
                // A sink with a buffer blocks here most of the time. Only the interrupt ends the loop.
                if try isInterrupted({ () throws(AudioSinkError) in try sink.write(period) }) { break }
            }

        case .openingTakesAnInterruptBack:
            sink.interrupt()
            for _ in 1...2 {
                let format = try sink.open()
                try sink.write(Self.silence(format, frames: format.framesPerPeriod))
                try sink.drain()
                sink.interrupt()
            }

        case .aLookDisturbsNothing:
            try sink.checkDevice()
            let format = try sink.open()
            for _ in 1...2 {
                try sink.checkDevice()
                try sink.write(Self.silence(format, frames: format.framesPerPeriod))
                try sink.checkDevice()
                try sink.drain()
            }
            if try sink.open() != format { return "the format has changed after a look" }
            sink.close()
            try sink.checkDevice()
        }
        return nil
    }

    private func isInterrupted(_ call: () throws(AudioSinkError) -> Void) throws(AudioSinkError) -> Bool {
        do { try call() } catch .interrupted {
            return true
        }
        return false
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

/// The contract of ``AudioSink`` for a device that can be unplugged, as rules that every such sink is tested with:
///
///     let sink = RecordingSink()
///     rule.problem(with: sink, isOpen: { sink.isOpen }, unplug: sink.unplug, plug: sink.plug)
public enum PluggedSinkContract: String, Sendable, CaseIterable {
    case aLookFindsAnOpenDeviceGone
    case aLookFindsAClosedDeviceGone
    case aLookDoesNotOpenWhatIsBack
    case whatIsBackOpens

    /// Tests the rule on an unused sink whose device is plugged in. Blocks.
    /// - Returns: the problem; `nil` if the sink keeps the rule.
    public func problem(
        with sink: any AudioSink, isOpen: () -> Bool, unplug: () -> Void, plug: () -> Void
    ) -> String? {
        do throws(AudioSinkError) {
            let format = try sink.open()
            try sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod))
            try sink.drain()
        } catch {
            return "throws: \(error)"
        }
        if self == .aLookFindsAClosedDeviceGone { sink.close() }
        unplug()
        guard isLost(sink) else { return "the look has not found the device gone" }
        if isOpen() { return "the device is still open" }
        plug()
        switch self {
        case .aLookFindsAnOpenDeviceGone, .aLookFindsAClosedDeviceGone: break
        case .aLookDoesNotOpenWhatIsBack:
            if isLost(sink) { return "the look takes a device for gone that is back" }
            if isOpen() { return "the look has opened the device" }
        case .whatIsBackOpens:
            do throws(AudioSinkError) { _ = try sink.open() } catch { return "what is back does not open: \(error)" }
        }
        sink.close()
        return nil
    }

    private func isLost(_ sink: any AudioSink) -> Bool {
        do throws(AudioSinkError) { try sink.checkDevice() } catch {
            return true
        }
        return false
    }
}
