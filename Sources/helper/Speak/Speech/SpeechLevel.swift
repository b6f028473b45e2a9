import Glibc
import SoundboxCore

/// Adjusts synthesised speech to about the level of the recordings, and trims the silence around it.
///
/// The recordings have −22 LUFS. Here the mean power of the non-silent blocks is set to −22 dB below full scale,
/// without the weighting of EBU R 128, which would need a measuring library. For speech the two are close.
enum SpeechLevel {
    /// Mean power of a block of 20 ms, relative to full scale: −50 dB.
    private static let silence = 1e-5
    /// −22 dB.
    private static let target = 0.00631
    /// 1 dB below full scale. Peaks are never clipped.
    private static let highest = 0.891
    /// The silence that is left at either end, in seconds.
    private static let margin = 0.03

    /// - Returns: `nil` if there is only silence.
    static func level(_ sound: PCMSound) -> PCMSound? {
        let block = max(1, sound.sampleRate / 50)
        var first: Int?
        var last = 0
        var power = 0.0
        var counted = 0
        var peak = 0.0
        for start in stride(from: 0, to: sound.samples.count, by: block) {
            let end = min(start + block, sound.samples.count)
            let values = sound.samples[start..<end].lazy.map { Double($0) / 32_768 }
            let sum = values.reduce(0) { $0 + $1 * $1 }
            guard sum > silence * Double(end - start) else { continue }
            if first == nil { first = start }
            last = end
            power += sum
            counted += end - start
            peak = max(peak, values.reduce(0) { max($0, abs($1)) })
        }
        guard let first, counted > 0, peak > 0 else { return nil }
        let gain = min((target / (power / Double(counted))).squareRoot(), highest / peak)
        let margin = Int(margin * Double(sound.sampleRate))
        let kept = sound.samples[max(0, first - margin)..<min(sound.samples.count, last + margin)]
        let samples = kept.map { Int16(clamping: Int((Double($0) * gain).rounded())) }
        return PCMSound(samples: samples, sampleRate: sound.sampleRate)
    }
}
