import Testing

@testable import SoundboxWorkshop

@Suite("Recordings that cannot be of their words")
struct DurationCheckTests {
    /// Two hundred phrases of two to forty letters, each of them a little faster or slower than its letters say.
    private static let take: [DurationCheck.Spoken] = (0..<200).map { index in
        let letters = 2 + (index * 23) % 39
        let seconds = (0.2 + 0.06 * Double(letters)) * (1 + 0.1 * Double((index * 7) % 5 - 2))
        return .init(file: "f\(index)", text: String(repeating: "a", count: letters), seconds: seconds)
    }

    @Test("A take in order is in order")
    func inOrder() {
        #expect(DurationCheck(Self.take).problems == [])
    }

    @Test("A phrase left out and another read twice are found by all that lie between", arguments: [1, -1])
    func shifted(by shift: Int) throws {
        var take = Self.take
        for index in 10..<50 { take[index].seconds = Self.take[index + shift].seconds }
        let problem = try #require(DurationCheck(take).problems.first)
        #expect(problem.problem.contains(shift > 0 ? "behind theirs" : "before theirs"))
        #expect(problem.expected.contains("left out"))
    }

    @Test("One phrase that is spoken slowly is in order; at more than twice the time of its words it says others")
    func outlier() throws {
        var take = Self.take
        take[30].seconds *= 1.5
        #expect(DurationCheck(take).problems == [])
        take[30].seconds *= 2
        let problems = DurationCheck(take).problems
        #expect(problems.map(\.file) == ["f30"])
        #expect(try #require(problems.first).problem.contains("lasts"))
    }

    @Test("A handful of phrases tells nothing")
    func few() {
        #expect(DurationCheck(Array(Self.take.prefix(5).reversed())).problems == [])
    }
}
