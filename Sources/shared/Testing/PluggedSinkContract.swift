import SoundboxCore

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
        do throws(AudioSinkError) { try sink.look() } catch {
            return true
        }
        return false
    }
}
