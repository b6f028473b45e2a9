import SoundboxCore

/// What ``AudioSink`` promises of a device that can be pulled out, as rules that every sink with such a device is held
/// against.
public enum PluggedSinkContract: String, Sendable, CaseIterable {
    case aLookFindsAnOpenDeviceGone
    case aLookFindsAClosedDeviceGone
    case aLookDoesNotOpenWhatIsBack
    case whatIsBackOpens

    /// Tries the rule on a sink that nobody has used yet and whose device is there. Blocks.
    /// - Returns: what is wrong, or `nil` when the sink keeps the rule.
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
        do throws(AudioSinkError) { try sink.look() } catch {
            return true
        }
        return false
    }
}
