import SoundboxCore
import SoundboxTesting
import Testing

@Suite("The recording sink")
struct RecordingSinkTests {
    private let failure = AudioSinkError.writeFailed(device: "recording", reason: "as planned")

    @Test("It keeps the contract", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) {
        let sink = RecordingSink()
        #expect(rule.problem(with: sink) == nil)
        #expect(sink.misuses.isEmpty)
    }

    @Test("The contract finds a sink that fails", arguments: RecordingSink.Call.allCases)
    func contractFindsFailures(call: RecordingSink.Call) {
        let sink = RecordingSink()
        sink.fail(call, with: failure)
        #expect(AudioSinkContract.playsSeveralAnnouncementsOnOneOpening.problem(with: sink) != nil)
    }

    @Test(
        "The contract finds a format that no mixer can serve",
        arguments: [
            PCMFormat(sampleRate: 7_999, channelCount: 1, encoding: .int16, framesPerPeriod: 960),
            PCMFormat(sampleRate: 48_000, channelCount: 0, encoding: .int16, framesPerPeriod: 960),
            PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 0),
        ])
    func contractFindsBadFormats(format: PCMFormat) {
        #expect(AudioSinkContract.opensWithAUsableFormat.problem(with: RecordingSink(format: format)) != nil)
    }

    @Test("It keeps what was drained, one element for each announcement, and drops what was not")
    func keeps() throws {
        let sink = RecordingSink()
        _ = try sink.open()
        try sink.write([1, 0])
        try sink.write([2, 0])
        try sink.drain()
        try sink.write([3, 0])
        #expect(sink.pending == [3, 0])
        try sink.drain()
        try sink.write([4, 0])
        sink.close()
        #expect(sink.announcements == [[1, 0, 2, 0], [3, 0]])
        #expect(sink.pending.isEmpty)
    }

    @Test("It fails as planned, closes then, and works again afterwards")
    func fails() throws {
        let sink = RecordingSink()
        sink.fail(.write, with: failure, times: 2, callsBefore: 1)
        _ = try sink.open()
        try sink.write([1, 0])
        for _ in 1...2 {
            #expect(throws: failure) { try sink.write([2, 0]) }
            #expect(!sink.isOpen)
            _ = try sink.open()
        }
        try sink.write([3, 0])
        try sink.drain()
        #expect(sink.announcements == [[3, 0]])
        #expect(sink.openingCount == 3)
    }

    @Test("Another device brings another format with the next opening")
    func replaced() throws {
        let sink = RecordingSink()
        _ = try sink.open()
        let other = PCMFormat(sampleRate: 16_000, channelCount: 2, encoding: .int32, framesPerPeriod: 320)
        sink.replaceDevice(with: other)
        #expect(try sink.open() == other)
    }

    @Test("It notes what the port does not allow")
    func misuses() throws {
        let sink = RecordingSink()
        #expect(throws: AudioSinkError.self) { try sink.write([0, 0]) }
        let format = try sink.open()
        try sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod + 1))
        #expect(
            sink.misuses == ["write while closed", "write of a part of a frame"])
    }
}
