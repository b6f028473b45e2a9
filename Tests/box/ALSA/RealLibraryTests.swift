import Glibc
import SoundboxALSA
import SoundboxCore
import SoundboxTesting
import Testing

/// alsa-lib itself, on its `null` and `file` plugins: they need no card and take no time.
@Suite("alsa-lib without a card")
struct RealLibraryTests {
    @Test("The sink keeps the contract on the null plugin", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) {
        #expect(rule.problem(with: ALSASink(device: "null")) == nil)
    }

    @Test("The sink keeps the contract behind the plug plugin", arguments: AudioSinkContract.allCases)
    func contractBehindPlug(rule: AudioSinkContract) {
        #expect(rule.problem(with: ALSASink(device: "plug:null")) == nil)
    }

    @Test("Every announcement reaches the device to its last frame, in order, padded to whole periods")
    func capture() throws {
        try withTemporaryFile { path in
            let sink = ALSASink(device: "file:'\(path)',raw", preferredRate: 44_100)
            var expected: [UInt8] = []
            for (first, periods, rest) in [(0, 12, 17), (500, 0, 1), (9, 1, 0)] {
                let format = try sink.open()
                #expect(format.sampleRate == 44_100)
                #expect(format.encoding == .int16)
                for _ in 0..<periods {
                    let period = frames(format.framesPerPeriod, of: format, from: first)
                    try sink.write(period)
                    expected += period
                }
                let tail = frames(rest, of: format, from: first)
                try sink.write(tail)
                expected += tail
                try sink.drain()
                // The device's periods are the mixer's.
                let excess = expected.count % format.bytesPerPeriod
                if excess > 0 { expected += [UInt8](repeating: 0, count: format.bytesPerPeriod - excess) }
            }
            sink.close()
            #expect(try contents(of: path) == expected)
            #expect(sink.xrunCount == 0)
        }
    }

    @Test("An unknown device is named, and alsa-lib's own words are part of the reason")
    func unknown() {
        let sink = ALSASink(device: "no_such_device")
        let error = sinkError { () throws(AudioSinkError) in _ = try sink.open() }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("cannot open audio device \"no_such_device\": there is no such device ("))
        #expect(text.contains("no_such_device)"), "\(text)")
        #expect(!text.contains("\n"))
    }

    @Test("A card that this machine does not have is named, with what the machine has")
    func unknownCard() {
        let sink = ALSASink(device: "hw:CARD=Nowhere")
        let error = sinkError { () throws(AudioSinkError) in _ = try sink.open() }
        guard case .unavailable("hw:CARD=Nowhere", let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let cards = ALSACards.cards()
        if cards.isEmpty {
            #expect(reason.contains("this machine has no sound card"), "\(reason)")
        } else {
            #expect(cards.allSatisfy { reason.contains($0.name) }, "\(reason)")
        }
    }

    @Test("A definition that alsa-lib refuses is reported in its words")
    func refused() {
        let sink = ALSASink(device: "file:'/dev/null',bogus")
        let error = sinkError { () throws(AudioSinkError) in _ = try sink.open() }
        guard case .unavailable(_, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("file format bogus is unknown"), "\(reason)")
    }

    @Test("Sinks on many devices do not disturb one another")
    func many() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 1...8 {
                group.addTask {
                    let sink = ALSASink(device: "null")
                    for _ in 1...5 {
                        let format = try sink.open()
                        for _ in 1...10 { try sink.write(frames(format.framesPerPeriod, of: format)) }
                        try sink.drain()
                        sink.close()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func withTemporaryFile(_ body: (String) throws -> Void) throws {
        var path = Array("/tmp/soundbox-alsa-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        Glibc.close(descriptor)
        let name = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { unlink(name) }
        try body(name)
    }

    private func contents(of path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "rb"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk.prefix(count) }
        return bytes
    }
}
