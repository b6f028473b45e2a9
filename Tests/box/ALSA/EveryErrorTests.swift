import Glibc
import SoundboxALSA
import SoundboxCore
import Testing

@Suite("Every error at every call of an ALSA device")
struct EveryErrorTests {
    /// With the state that such an error leaves the device in.
    private static let errors: [(code: Int32, state: PCMState?)] = [
        (EPIPE, .xrun), (ESTRPIPE, .suspended), (ENODEV, .disconnected), (ENOENT, .disconnected),
        (ENXIO, .disconnected),
        (EBUSY, nil), (EINTR, nil), (EAGAIN, nil), (EIO, nil), (EBADFD, .setup), (EINVAL, nil), (ENOSYS, nil),
    ]

    @Test(
        "Whatever fails wherever: it ends, nothing is half open, and the announcement that is repeated is heard whole",
        arguments: ScriptedPCM.Call.allCases)
    func every(call: ScriptedPCM.Call) throws {
        for (code, state) in Self.errors {
            for callsBefore in [0, 1, 3, 8] {
                // Short periods, for there are many cases.
                let bench = Bench(preferredRate: 8_000)
                bench.pcm.fail(call, code, callsBefore: callsBefore, state: state)
                do throws(AudioSinkError) { try bench.announce(periods: 9) } catch {
                    #expect(!bench.pcm.seen.isOpen)
                    #expect(!error.description.isEmpty)
                }
                // Twice a timeout, and what the resuming takes.
                #expect(bench.pcm.seen.now < .seconds(12))
                bench.pcm.change {
                    $0.failures = [:]
                    $0.heard = []
                }
                let written = try bench.announce(periods: 9)
                #expect(bench.pcm.seen.heard == written, "after \(call) failed with \(code), call \(callsBefore)")
            }
        }
    }
}
