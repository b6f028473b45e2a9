import BenchmarkSupport
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import Synchronization

/// The voice that ships with the box, from the folder that `make bench` runs in.
func shippedVoice() throws -> Voice { try VoiceFolder(path: "sounds").voice("zh-CN") }

/// Takes everything and keeps nothing, at once.
final class Hole: AudioSink {
    private let count = Atomic(0)
    var frames: Int { count.load(ordering: .relaxed) }
    func open() -> PCMFormat { .mono48kHz }
    func write(_ bytes: [UInt8]) {
        count.wrappingAdd(bytes.count / PCMFormat.mono48kHz.bytesPerFrame, ordering: .relaxed)
    }
    func drain() {}
    func interrupt() {}
    func close() {}
}

/// What ten thousand announcements cost: decoding, resampling, joining, mixing.
let announcing = Benchmark(name: "announcements") {
    let voice = try shippedVoice()
    let sink = Hole()
    let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(80))
    let scripts = try (0..<100).map { index in
        try voice.writer.exactScript(for: .payment(try Money("\(index * 37).\(index % 100)", .CNY), channel: "alipay"))
    }
    // Whatever is made once is made by now.
    for script in scripts { try await player.play(script) }
    Heap.trim()
    let heap = HeapUse.bytes
    let framesBefore = sink.frames
    let processor = Duration.processorTime
    for index in 0..<10_000 { try await player.play(scripts[index % 100]) }
    let worked = Duration.processorTime - processor
    let seconds = Double(sink.frames - framesBefore) / 48_000
    return [
        Figure("processor per announced second", "\(text(worked.seconds / seconds * 1000, digits: 2)) ms"),
        Figure("speed of one core", "\(text(seconds / worked.seconds)) × real time"),
        Figure("heap growth over 10,000 announcements", "\(HeapUse.bytes - heap) bytes"),
    ]
}
