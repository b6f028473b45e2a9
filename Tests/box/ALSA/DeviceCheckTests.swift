import Glibc
import SoundboxALSA
import SoundboxCore
import SoundboxTesting
import Testing

@Suite("Checking an idle ALSA device")
struct DeviceCheckTests {
    @Test(
        "A card that is pulled out is found gone, open or closed, and opens when it is back",
        arguments: PluggedSinkContract.allCases)
    func contract(rule: PluggedSinkContract) {
        let bench = Bench()
        let problem = rule.problem(
            with: bench.sink, isOpen: { bench.pcm.seen.isOpen }, unplug: { bench.pcm.unplug() },
            plug: { bench.pcm.plug() })
        #expect(problem == nil)
    }

    @Test("A check asks an open device for its state, and opens and plays nothing")
    func quiet() throws {
        let bench = Bench()
        try bench.announce(periods: 2)
        let calls = bench.pcm.seen.calls
        for _ in 1...3 { try bench.sink.checkDevice() }
        bench.sink.close()
        for _ in 1...3 { try bench.sink.checkDevice() }
        #expect(bench.pcm.seen.calls == calls)
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test(
        "What the next opening mends is no loss of the card", arguments: [PCMState.suspended, .xrun, .setup, .other])
    func mendable(state: PCMState) throws {
        let bench = Bench()
        try bench.announce(periods: 2)
        bench.pcm.change { $0.state = state }
        try bench.sink.checkDevice()
        try bench.announce(periods: 2)
    }

    @Test("A device without a card, such as a sound server's, is not looked for while it is closed")
    func noCard() throws {
        let bench = Bench()
        bench.pcm.change { $0.id = nil }
        try bench.announce(periods: 1)
        bench.sink.close()
        bench.pcm.unplug()
        try bench.sink.checkDevice()
    }

    @Test(
        "That the card is gone is said in words, with the device's name, also behind an interrupt",
        arguments: [false, true])
    func words(isInterrupted: Bool) throws {
        let bench = Bench()
        try bench.announce(periods: 1)
        if isInterrupted { bench.sink.interrupt() }
        bench.pcm.unplug()
        let open = sinkError { () throws(AudioSinkError) in try bench.sink.checkDevice() }
        #expect(open == .writeFailed(device: "card", reason: "it was unplugged, or its driver is gone"))
        let closed = sinkError { () throws(AudioSinkError) in try bench.sink.checkDevice() }
        #expect(closed == .unavailable(device: "card", reason: "it was unplugged, or its driver is gone"))
    }
}
