import SoundboxAudio
import SoundboxCore
import SoundboxVoice
import Synchronization

/// Notes when the first period of an announcement arrives.
private final class Ear: AudioSink {
    private let first = Mutex<ContinuousClock.Instant?>(nil)
    var firstPeriod: ContinuousClock.Instant? { first.withLock { $0 } }
    func open() -> PCMFormat { .mono48kHz }
    func write(_ bytes: [UInt8]) { first.withLock { if $0 == nil { $0 = .now } } }
    func drain() {}
    func interrupt() {}
    func close() {}
    func forget() { first.withLock { $0 = nil } }
}

/// From the player being told to the device having the first frames, beside what decoding all the words would take.
let startOfSound = Benchmark(name: "start of sound") {
    let voice = try shippedVoice()
    let ear = Ear()
    let player = Player(sink: ear, voices: Voices(first: voice), volume: Volume(80))
    try await player.prepare()
    let script = try voice.writer.exactScript(for: .payment(try Money("123456.78", .CNY), channel: "alipay"))
    var waits: [Double] = []
    for _ in 0..<200 {
        ear.forget()
        let start = ContinuousClock.now
        try await player.play(script)
        guard let first = ear.firstPeriod else { throw BenchmarkError(description: "nothing was written") }
        waits.append((first - start).seconds)
    }
    waits.sort()
    let decoding = try await Duration.elapsed {
        for case .phrase(let index) in script.elements { _ = try voice.samples(of: .phrase(index), at: 48_000) }
    }
    return [
        Figure("median", "\(text(waits[100] * 1e6)) µs"),
        Figure("slowest of 200", "\(text(waits[199] * 1e6)) µs"),
        Figure("decoding the words first would add", "\(text(decoding.seconds * 1e6)) µs"),
    ]
}
