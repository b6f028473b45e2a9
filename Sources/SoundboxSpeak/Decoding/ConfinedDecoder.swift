import SoundboxCore
import SoundboxSystem

/// Decodes what comes on standard input, in a process that can do nothing else any more.
public enum ConfinedDecoder {
    /// Of address space: the program and its libraries, a file of 16 MiB, the samples, and what a decoder needs.
    private static let memory: UInt = 512 << 20
    private static let processorSeconds: UInt32 = 10

    /// Gives up files, network and other processes before it reads a byte. For the main thread of a process that has no
    /// other one, and that ends when it has written the samples or the reason.
    public static func sound(longest: Duration) throws -> PCMSound {
        do throws(SystemError) {
            try Confinement.enter(memory: memory, processorSeconds: processorSeconds)
        } catch {
            throw SpeakError("the process that decodes could not be confined: \(error)")
        }
        return try ClipDecoder.decode(StandardStreams.input(most: ClipSettings.mostBytes), longest: longest)
    }
}
