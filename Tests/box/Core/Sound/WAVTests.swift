import SoundboxCore
import Testing

@Suite("WAV files")
struct WAVTests {
    @Test("What is written is read again")
    func both() {
        let sound = PCMSound(samples: [0, 1, -1, .max, .min], sampleRate: 22_050)
        #expect(WAV.sound(from: WAV.bytes(of: sound), longest: .seconds(1)) == sound)
        #expect(WAV.bytes(of: sound).count == 54)
        #expect(WAV.mostBytes(for: .seconds(1)) == 44 + 96_000)
    }

    private func file(_ claim: [UInt8], _ data: [UInt8], channels: UInt8 = 1, rate: [UInt8] = [0x22, 0x56]) -> [UInt8] {
        Array("RIFF".utf8) + [0x24, 0xF0, 0xFF, 0x7F] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, channels, 0]
            + rate + [0, 0, 0x44, 0xAC, 0, 0, 2, 0, 16, 0] + Array("data".utf8) + claim + data
    }

    private func samples(_ bytes: [UInt8], longest: Duration = .seconds(1)) -> [Int16]? {
        WAV.sound(from: bytes, longest: longest)?.samples
    }

    @Test("What espeak-ng writes is read to its end, whatever its header says")
    func lies() {
        let endless: [UInt8] = [0, 0xF0, 0xFF, 0x7F]
        #expect(samples(file(endless, [1, 0, 0xFF, 0xFF, 7])) == [1, -1])
        #expect(samples(file([2, 0, 0, 0], [1, 0, 2, 0])) == [1])
        #expect(samples(file(endless, [])) == [])
        for length in 0..<44 { #expect(samples(Array(file(endless, []).prefix(length))) == nil) }
    }

    @Test("Other sound than mono at a rate of 8 to 48 kHz is refused, and a sound that is longer than allowed")
    func refused() {
        let endless: [UInt8] = [0, 0xF0, 0xFF, 0x7F]
        #expect(samples(file(endless, [1, 0], channels: 2)) == nil)
        #expect(samples(file(endless, [1, 0], rate: [0x3F, 0x1F])) == nil)
        #expect(samples(file(endless, [1, 0], rate: [0x81, 0xBB])) == nil)
        // 8 kHz.
        let eight: [UInt8] = [0x40, 0x1F]
        #expect(samples(file(endless, [UInt8](repeating: 0, count: 16_000), rate: eight))?.count == 8000)
        #expect(samples(file(endless, [UInt8](repeating: 0, count: 16_002), rate: eight)) == nil)
    }
}
