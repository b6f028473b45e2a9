import BenchmarkSupport
import Glibc
import SoundboxALSA
import SoundboxCore
import SoundboxSystem
import Synchronization

/// An ALSA device that takes everything at once, and the moments at which it took the first frames of announcements.
private final class FirstFrames: AudioSink {
    private let device = ALSASink(device: "null")
    private let taken: AsyncStream<ContinuousClock.Instant>.Continuation
    private let isFirst = Atomic(true)
    let moments: AsyncStream<ContinuousClock.Instant>

    init() { (moments, taken) = AsyncStream.makeStream() }

    func open() throws(AudioSinkError) -> PCMFormat { try device.open() }
    func interrupt() { device.interrupt() }
    func close() { device.close() }
    func write(_ frames: [UInt8]) throws(AudioSinkError) {
        try device.write(frames)
        if isFirst.exchange(false, ordering: .relaxed) { taken.yield(.now) }
    }
    func drain() throws(AudioSinkError) {
        try device.drain()
        isFirst.store(true, ordering: .relaxed)
    }
}

/// From a payment being on the disk to the device having taken its first frames: announcer, inbox (which notes that the
/// announcement begins, a commit of its own), voice, mixer and alsa-lib.
let commitToSound = Benchmark(name: "commit to sound") {
    var template = Array("bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchmarkError(description: "cannot make a folder here") }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
        for name in ["inbox.sqlite", "inbox.sqlite-wal", "inbox.sqlite-shm"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
    let sink = FirstFrames()
    let box = try SpeakingBox(folder: folder, voice: try shippedVoice(), sink: sink)
    let running = Task { await box.run() }
    defer { running.cancel() }
    var moments = sink.moments.makeAsyncIterator()
    var waits: [Double] = []
    var commits: [Double] = []
    for number in 0..<210 {
        let notice = PaymentNotice(
            id: try PaymentID("B-\(number)"), money: try Money("\(number).45", .CNY), channel: "alipay")
        let start = ContinuousClock.now
        let committed = try await onOwnThread(named: "intake") { try box.take(notice) }
        guard let first = await moments.next() else { throw BenchmarkError(description: "nothing was written") }
        // What is made once is made by the first ten.
        if number >= 10 {
            waits.append((first - committed).seconds)
            commits.append((committed - start).seconds)
        }
        // The next payment finds the box at rest.
        while try await onOwnThread(named: "intake", { try box.announcedCount }) <= number {
            try await Task.sleep(for: .milliseconds(2))
        }
    }
    waits.sort()
    commits.sort()
    return [
        Figure("median", "\(text(waits[100] * 1e6)) µs, \(text(waits[100] / commits[100], digits: 1)) × a commit here"),
        Figure("slowest of 200", "\(text(waits[199] * 1e6)) µs"),
        Figure("a commit on this disk, median", "\(text(commits[100] * 1e6)) µs"),
    ]
}
