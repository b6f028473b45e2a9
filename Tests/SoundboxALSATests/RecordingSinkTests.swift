import SoundboxCore
import SoundboxTesting
import Testing

@Suite("The recording sink")
struct RecordingSinkTests {
    private let failure = AudioSinkError.writeFailed(device: "recording", reason: "as planned")

    @Test("It keeps the contract", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) async {
        let sink = RecordingSink()
        #expect(await rule.problem(with: sink) == nil)
        #expect(await sink.misuses.isEmpty)
    }

    @Test("The contract finds a sink that fails", arguments: RecordingSink.Call.allCases)
    func contractFindsFailures(call: RecordingSink.Call) async {
        let sink = RecordingSink()
        await sink.fail(call, with: failure)
        #expect(await AudioSinkContract.playsSeveralAnnouncementsOnOneOpening.problem(with: sink) != nil)
    }

    @Test(
        "The contract finds a format that no mixer can serve",
        arguments: [
            PCMFormat(sampleRate: 7_999, channelCount: 1, encoding: .int16, framesPerPeriod: 960),
            PCMFormat(sampleRate: 48_000, channelCount: 0, encoding: .int16, framesPerPeriod: 960),
            PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int16, framesPerPeriod: 0),
        ])
    func contractFindsBadFormats(format: PCMFormat) async {
        #expect(await AudioSinkContract.opensWithAUsableFormat.problem(with: RecordingSink(format: format)) != nil)
    }

    @Test("It keeps what was drained, one element for each announcement, and drops what was not")
    func keeps() async throws {
        let sink = RecordingSink()
        _ = try await sink.open()
        try await sink.write([1, 0])
        try await sink.write([2, 0])
        try await sink.drain()
        try await sink.write([3, 0])
        #expect(await sink.pending == [3, 0])
        try await sink.drain()
        try await sink.write([4, 0])
        await sink.close()
        #expect(await sink.announcements == [[1, 0, 2, 0], [3, 0]])
        #expect(await sink.pending.isEmpty)
    }

    @Test("It fails as planned, closes then, and works again afterwards")
    func fails() async throws {
        let sink = RecordingSink()
        await sink.fail(.write, with: failure, times: 2, callsBefore: 1)
        _ = try await sink.open()
        try await sink.write([1, 0])
        for _ in 1...2 {
            await #expect(throws: failure) { try await sink.write([2, 0]) }
            #expect(await !sink.isOpen)
            _ = try await sink.open()
        }
        try await sink.write([3, 0])
        try await sink.drain()
        #expect(await sink.announcements == [[3, 0]])
        #expect(await sink.openingCount == 3)
    }

    @Test("Another device brings another format with the next opening")
    func replaced() async throws {
        let sink = RecordingSink()
        _ = try await sink.open()
        let other = PCMFormat(sampleRate: 16_000, channelCount: 2, encoding: .int32, framesPerPeriod: 320)
        await sink.replaceDevice(with: other)
        #expect(try await sink.open() == other)
    }

    @Test("It notes what the port does not allow")
    func misuses() async throws {
        let sink = RecordingSink()
        await #expect(throws: AudioSinkError.self) { try await sink.write([0, 0]) }
        let format = try await sink.open()
        try await sink.write([UInt8](repeating: 0, count: format.bytesPerPeriod + 1))
        #expect(
            await sink.misuses == ["write while closed", "write of more than a period", "write of a part of a frame"])
    }
}
