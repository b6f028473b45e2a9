import Glibc
import Testing

@testable import SoundboxAudio

@Suite("Joins between recordings")
struct SplicerTests {
    private static let rate = 48_000
    private let splicer = Splicer(sampleRate: Self.rate)

    /// A voice that neither begins nor ends in silence, in the middle of its wave.
    private func voiced(_ frequency: Double, phase: Double = 0, amplitude: Double = 9000, count: Int = 9600) -> [Int16]
    {
        (0..<count).map { frame in
            let angle = 2 * .pi * frequency * Double(frame) / Double(Self.rate) + phase
            return Int16(amplitude * (sin(angle) + 0.4 * sin(2 * angle) + 0.2 * sin(3 * angle)))
        }
    }

    private func largestStep(_ samples: some Collection<Int16>) -> Int {
        zip(samples, samples.dropFirst()).map { abs(Int($1) - Int($0)) }.max() ?? 0
    }

    /// Level of each window of 5 ms, in dB.
    private func levels(_ samples: ArraySlice<Int16>) -> [Double] {
        stride(from: samples.startIndex, to: samples.endIndex - 240, by: 240).map { start in
            let energy = samples[start..<start + 240].reduce(0.0) { $0 + Double($1) * Double($1) }
            return 10 * log10(energy / 240 + 1)
        }
    }

    @Test(
        "Where both sides are voiced, no step is larger than the voices' own, and the level neither dips nor leaps",
        arguments: [0.0, 0.7, 1.6, 2.5, 3.1, 4.4, 5.9], [(120.0, 120.0), (110, 190), (220, 130), (300, 310)])
    func voicedJoin(phase: Double, frequencies: (Double, Double)) {
        let left = voiced(frequencies.0)
        let right = voiced(frequencies.1, phase: phase)
        let joined = splicer.joined([.sound(left), .sound(right)])
        let own = max(largestStep(left), largestStep(right))
        #expect(largestStep(joined) <= own * 3 / 2)
        // Put together bare, the same two click in most phases.
        let middle = joined.count / 2
        let around = levels(joined[middle - 3000..<middle + 3000])
        let usual = levels(left[...]).max() ?? 0
        #expect(around.allSatisfy { (usual - 6...usual + 4).contains($0) })
        // What is given up is less than a sound of speech lasts.
        let lost = left.count + right.count - joined.count
        #expect((300...1400).contains(lost))
    }

    @Test("The bare join of the same voices does click, so the measure above can fail")
    func bareJoin() {
        let left = voiced(120)
        let right = voiced(120, phase: 2.5)
        #expect(largestStep(left + right) > max(largestStep(left), largestStep(right)) * 3 / 2)
    }

    @Test("Nothing but the join is changed")
    func rest() {
        let left = voiced(150)
        let right = voiced(170, phase: 1)
        let joined = splicer.joined([.sound(left), .sound(right)])
        #expect(joined[100..<8600].elementsEqual(left[100..<8600]))
        #expect(joined.suffix(8600).prefix(8500).elementsEqual(right.suffix(8600).prefix(8500)))
    }

    @Test("The first and the last sample are silence, and so are the edges at a rest: no click at start or stop")
    func edges() {
        let sound = voiced(200, phase: 1.2)
        let joined = splicer.joined([.sound(sound), .silence(1000), .sound(sound)])
        #expect(joined.count == 2 * sound.count + 1000)
        #expect(joined.first == 0 && joined.last == 0)
        #expect(joined[sound.count - 1] == 0 && joined[sound.count + 1000] == 0)
        #expect(joined[sound.count..<sound.count + 1000].allSatisfy { $0 == 0 })
        #expect(largestStep(joined) <= largestStep(sound))
    }

    @Test("Recordings with silent margins are put one after the other, to the sample")
    func silentMargins() {
        let margin = [Int16](repeating: 0, count: 1000)
        let recording = margin + voiced(180) + margin
        let joined = splicer.joined([.sound(recording), .sound(recording), .silence(10)])
        #expect(joined == recording + recording + [Int16](repeating: 0, count: 10))
    }

    @Test("Sounds too short to overlap, empty ones and none at all are joined as well")
    func short() {
        let short = voiced(200, count: 50)
        #expect(splicer.joined([]) == [])
        #expect(splicer.joined([.sound([])]) == [])
        #expect(splicer.joined([.sound(short), .sound([]), .sound(short)]).count == 100)
        #expect(splicer.joined([.sound([500])]) == [0])
    }

    @Test("A row of voiced recordings keeps every one of them", arguments: [8000, 44_100, 192_000])
    func row(rate: Int) {
        let sound = (0..<rate / 4).map { Int16(8000 * sin(2 * .pi * 150 * Double($0) / Double(rate))) }
        let joined = Splicer(sampleRate: rate).joined([Splicer.Piece](repeating: .sound(sound), count: 12))
        // At each join at most the overlap and a search on either side.
        #expect(joined.count > 12 * sound.count - 11 * rate * 28 / 1000)
        #expect(largestStep(joined) <= largestStep(sound) * 3 / 2)
    }
}
