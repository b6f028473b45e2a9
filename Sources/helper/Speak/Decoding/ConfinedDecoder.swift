import SoundboxCore
import SoundboxSystem

/// Decodes standard input in a process that has given up all other rights:
///
///     StandardStreams.answer { WAV.bytes(of: try ConfinedDecoder.sound(longest: .seconds(30))) }
public enum ConfinedDecoder {
    /// Bytes of address space: for the program and its libraries, the encoded file, the samples and the decoder.
    private static let memory: UInt = 512 << 20
    private static let processorSeconds: UInt32 = 10

    /// Gives up files, network and other processes before it reads a byte. Call on the main thread of a process that
    /// has no other thread and ends after the answer.
    public static func sound(longest: Duration) throws -> PCMSound {
        do throws(SystemError) {
            try Confinement.enter(memory: memory, processorSeconds: processorSeconds)
        } catch {
            throw SpeakError("the process that decodes could not be confined: \(error)")
        }
        return try ClipDecoder.decode(StandardStreams.input(most: ClipSettings.mostBytes), longest: longest)
    }
}
