import SoundboxSystem
import Testing

@Suite("The timeline of an announcement")
struct TimelineTests {
    @Test(
        "Off it tells nothing; on it tells the steps in their order, once, and keeps what belongs to the next payment")
    func steps() throws {
        let timeline = Timeline()
        timeline.mark(.packetRead)
        timeline.mark(.writeEnded)
        #expect(timeline.take() == nil)
        timeline.begin()
        timeline.mark(.commitEnded)
        timeline.mark(.announcerWoken)
        // Without sound there is nothing to tell.
        #expect(timeline.take() == nil)
        timeline.mark(.writeEnded)
        timeline.mark(.packetRead)
        let steps = try #require(timeline.take()).split(separator: ", ").map { $0.split(separator: " ")[0] }
        #expect(steps == ["commitEnded", "announcerWoken", "writeEnded"])
        #expect(timeline.take() == nil)
        timeline.mark(.writeEnded)
        #expect(timeline.take()?.hasPrefix("packetRead 0, writeEnded ") == true)
    }
}
