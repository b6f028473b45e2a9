import Glibc
import SoundboxCore
import SoundboxSystem

/// Speaks a text with the program espeak-ng, through standard input and output, without a shell:
///
///     let sound = try ESpeak().speech(of: "Table 5 is ready", in: "en-US")
public struct ESpeak {
    private let program: String

    /// - Parameter program: an absolute path.
    public init(program: String = "/usr/bin/espeak-ng") { self.program = program }

    /// Blocks for at most 20 s.
    /// - Parameters:
    ///   - text: only the first ``CustomMessage/longestText`` characters are spoken.
    ///   - locale: a BCP 47 tag of the box's languages: `zh-CN`.
    public func speech(of text: String, in locale: String) throws(SpeakError) -> PCMSound {
        let spoken = try SpokenText(text, in: locale)
        if !spoken.question.isEmpty {
            let phonemes = try run(["-v", spoken.voice, "-q", "-x", "--stdin"], spoken.question, most: 65_536)
            guard SpokenText.isRead(as: String(decoding: phonemes, as: UTF8.self)) else {
                throw SpeakError("espeak-ng cannot read all of it in \(locale)")
            }
        }
        let most = WAV.mostBytes(for: PCMSound.longest)
        let bytes = try run(["-v", spoken.voice, "--stdin", "--stdout"], spoken.text, most: most)
        // The limit applies after the silence is trimmed.
        guard let sound = WAV.sound(from: bytes, longest: .seconds(3600)), let leveled = SpeechLevel.level(sound) else {
            throw SpeakError("espeak-ng gave no sound")
        }
        guard leveled.duration <= PCMSound.longest else { throw Self.tooLong }
        return leveled
    }

    private static let tooLong = SpeakError("it lasts longer than \(PCMSound.longest)")

    private func run(_ arguments: [String], _ text: String, most: Int) throws(SpeakError) -> [UInt8] {
        // Although it plays nothing, its sound library begins with a memory file of 64 MiB.
        let process = BoundedProcess(
            program: program, arguments: arguments, time: .seconds(10), mostOutput: most, memory: 256 << 20,
            processorSeconds: 10, largestFile: 64 << 20, leadsGroup: false)
        switch process.run(input: Array("\(text)\n".utf8)) {
        case .success(let bytes): return bytes
        case .failure(.notStarted(let error)) where error.code == ENOENT:
            throw SpeakError("install the package espeak-ng")
        case .failure(.notStarted(let error)) where error.code == EACCES:
            // The sandbox allows only programs that existed when the service started.
            throw SpeakError("\(program) may not be run; restart the box: systemctl restart soundbox")
        case .failure(.notStarted(let error)): throw SpeakError("\(program) does not start: \(error)")
        case .failure(.tooSlow): throw SpeakError("espeak-ng took longer than 10 s")
        case .failure(.tooMuchOutput): throw Self.tooLong
        case .failure(.exited(let code, _)): throw SpeakError("espeak-ng ended with code \(code)")
        case .failure(.killed(let signal)): throw SpeakError("espeak-ng was killed, signal \(signal)")
        }
    }
}

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
