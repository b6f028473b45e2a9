import Glibc
import SoundboxCore
import SoundboxTesting
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("What a loudspeaker is tried with", .timeLimit(.minutes(10)))
struct TestSignalTests {
    private static func format(_ channelCount: Int, _ encoding: SampleEncoding) -> PCMFormat {
        PCMFormat(sampleRate: 48_000, channelCount: channelCount, encoding: encoding, framesPerPeriod: 960)
    }

    @Test("The tone is a sine of 1 kHz at −20 dBFS, on every channel, without a click at its ends")
    func tone() async throws {
        let sink = RecordingSink(format: Self.format(2, .int16))
        try await TestSignal(on: SoundThread { _ in sink }).playTone()
        let bytes = try #require(sink.announcements.first)
        let words = stride(from: 0, to: bytes.count, by: 2)
            .map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
        let left = stride(from: 0, to: words.count, by: 2).map { Double(words[$0]) / 32768 }
        #expect(words.indices.allSatisfy { words[$0] == words[$0 ^ 1] })
        #expect(left.count == 144_000)
        let middle = left[24_000..<120_000]
        let level = (middle.reduce(0) { $0 + $1 * $1 } / Double(middle.count) * 2).squareRoot()
        #expect(abs(20 * log10(level) + 20) < 0.01)
        let crossings = middle.indices.dropFirst().count { left[$0 - 1] < 0 && left[$0] >= 0 }
        #expect((1999...2001).contains(crossings))
        #expect(abs(left[0]) < 0.001 && abs(left[143_999]) < 0.001)
        #expect(sink.misuses == [])
    }

    @Test(
        "A channel's name sounds on that channel alone",
        arguments: [(2, SampleEncoding.int16), (2, .int24Packed), (8, .int32), (1, .float32)])
    func channels(count: Int, encoding: SampleEncoding) async throws {
        let voice = try Voice.shipped()
        let sink = RecordingSink(format: Self.format(count, encoding))
        for channel in 0..<count {
            try await TestSignal(on: SoundThread { _ in sink }).playName(of: channel, by: voice)
        }
        let size = encoding.bytesPerSample
        for (channel, heard) in sink.announcements.enumerated() {
            let sounding = Set(heard.indices.filter { heard[$0] != 0 }.map { $0 % (count * size) / size })
            #expect(sounding == [channel])
        }
        #expect(sink.announcements.count == count)
    }
}
