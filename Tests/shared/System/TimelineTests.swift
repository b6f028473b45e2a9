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
        #expect(timeline.takeSteps() == nil)
        timeline.begin()
        timeline.mark(.commitEnded)
        timeline.mark(.announcerWoken)
        // Without sound there is nothing to tell.
        #expect(timeline.takeSteps() == nil)
        timeline.mark(.writeEnded)
        timeline.mark(.packetRead)
        let steps = try #require(timeline.takeSteps()).split(separator: ", ").map { $0.split(separator: " ")[0] }
        #expect(steps == ["commitEnded", "announcerWoken", "writeEnded"])
        #expect(timeline.takeSteps() == nil)
        timeline.mark(.writeEnded)
        #expect(timeline.takeSteps()?.hasPrefix("packetRead 0, writeEnded ") == true)
    }
}
