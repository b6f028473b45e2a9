import SoundboxALSA
import SoundboxCore
import Testing

/// `frames` frames that tell one another apart.
func frames(_ count: Int, of format: PCMFormat, from first: Int = 0) -> [UInt8] {
    (first * format.bytesPerFrame..<(first + count) * format.bytesPerFrame).map {
        UInt8(truncatingIfNeeded: $0 % 251 + 1)
    }
}

/// A sink on a scripted card, and what a player does with it.
struct Bench {
    let pcm: ScriptedPCM
    let sink: ALSASink

    init(_ card: ScriptedPCM.Card = ScriptedPCM.Card(), preferredRate: Int = 48_000) {
        let pcm = ScriptedPCM(card: card)
        self.pcm = pcm
        sink = ALSASink(device: "card", preferredRate: preferredRate, driver: pcm)
    }

    /// Writes `count` frames, a period at a time, and returns their bytes.
    @discardableResult
    func write(_ count: Int, of format: PCMFormat) throws(AudioSinkError) -> [UInt8] {
        let bytes = frames(count, of: format)
        for start in stride(from: 0, to: bytes.count, by: format.bytesPerPeriod) {
            try sink.write(Array(bytes[start..<min(start + format.bytesPerPeriod, bytes.count)]))
        }
        return bytes
    }

    /// Opens, writes so many of the device's periods, one of the mixer's at a time, and drains; returns the bytes written.
    @discardableResult
    func announce(periods: Int) throws(AudioSinkError) -> [UInt8] {
        let format = try sink.open()
        let bytes = try write(periods * pcm.seen.period, of: format)
        try sink.drain()
        return bytes
    }
}

/// The error that `body` throws; a failure of the test when it throws none.
func sinkError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(AudioSinkError) -> Void
) -> AudioSinkError? {
    do throws(AudioSinkError) {
        try body()
    } catch {
        return error
    }
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    return nil
}
