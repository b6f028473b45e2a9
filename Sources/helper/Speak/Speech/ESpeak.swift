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
