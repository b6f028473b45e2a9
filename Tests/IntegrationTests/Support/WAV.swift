import Foundation
import TestSupport

/// The samples of a WAV of one channel and 16 bits, read without the library that wrote it.
struct WAV: Equatable {
    var sampleRate: Int
    var samples: [Int16]

    init(reading path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard bytes.count > 44, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
            throw TestFailure("\(path) is no WAV")
        }
        func number(at offset: Int, bytes count: Int) -> Int {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(at: 4, bytes: 4) + 8 == bytes.count else {
            throw TestFailure("\(path): the header's size is wrong")
        }
        var offset = 12
        var rate = 0
        while offset + 8 <= bytes.count {
            let size = number(at: offset + 4, bytes: 4)
            let content = offset + 8
            if bytes[offset..<offset + 4].elementsEqual("fmt ".utf8) {
                guard number(at: content + 2, bytes: 2) == 1, number(at: content + 14, bytes: 2) == 16 else {
                    throw TestFailure("\(path) is not mono in 16 bits")
                }
                rate = number(at: content + 4, bytes: 4)
            }
            if bytes[offset..<offset + 4].elementsEqual("data".utf8) {
                sampleRate = rate
                samples = Self.samples(bytes[content..<content + size])
                return
            }
            offset = content + size
        }
        throw TestFailure("\(path) has no data")
    }

    /// The samples of a file without header.
    static func samples(inRawFile path: String) throws -> [Int16] {
        samples([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    private static func samples(_ bytes: some Collection<UInt8>) -> [Int16] {
        var iterator = bytes.makeIterator()
        var samples: [Int16] = []
        samples.reserveCapacity(bytes.count / 2)
        while let low = iterator.next(), let high = iterator.next() {
            samples.append(Int16(bitPattern: UInt16(low) | UInt16(high) << 8))
        }
        return samples
    }

    /// Stretches of sound between rests of at least `rest` seconds.
    func regions(rest: Double) -> [Range<Int>] {
        let shortest = Int(rest * Double(sampleRate))
        var regions: [Range<Int>] = []
        for (index, sample) in samples.enumerated() where abs(Int(sample)) > 60 {
            if let last = regions.last, index - last.upperBound < shortest {
                regions[regions.count - 1] = last.lowerBound..<index + 1
            } else {
                regions.append(index..<index + 1)
            }
        }
        return regions
    }
}
