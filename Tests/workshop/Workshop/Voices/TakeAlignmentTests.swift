import Testing

@testable import SoundboxWorkshop

@Suite("Where a take and its script part")
struct TakeAlignmentTests {
    /// As long as phrases are: short ones between long ones, so that there is something to tell them by.
    private static let script: [Double] = [1, 4, 2, 7, 3, 1, 5, 2, 8, 3, 6, 1, 4]

    private func slip(_ found: [Double]) -> TakeAlignment.Slip? {
        TakeAlignment.firstSlip(found: found, expected: Self.script)
    }

    @Test("A take of the whole script parts nowhere, however slowly it is read")
    func whole() {
        #expect(slip(Self.script) == nil)
        #expect(slip(Self.script.map { $0 * 0.3 }) == nil)
        #expect(slip(Self.script.enumerated().map { $1 * ($0.isMultiple(of: 2) ? 1.2 : 0.85) }) == nil)
    }

    @Test("A phrase that was left out is found where it is expected", arguments: [1, 3, 6, 8, 10])
    func leftOut(index: Int) {
        var found = Self.script
        found.remove(at: index)
        #expect(slip(found) == .init(found: index, expected: index))
    }

    @Test("A phrase that was read twice, or a cough, is found where it is heard")
    func tooMany() {
        var found = Self.script
        found.insert(40, at: 5)
        #expect(slip(found) == .init(found: 5, expected: 5))
        // Of two that sound alike it is the first or the second.
        found = Self.script
        found.insert(8, at: 8)
        #expect([8, 9].contains(slip(found)?.found))
    }

    @Test("What is missing or left over at the end is found there, and nothing at all is no crash")
    func ends() {
        #expect(slip(Array(Self.script.dropLast(3))) == .init(found: 10, expected: 10))
        #expect(slip(Self.script + [2, 2]) == .init(found: 13, expected: 13))
        #expect(slip([]) == .init(found: 0, expected: 0))
        #expect(TakeAlignment.firstSlip(found: [1], expected: []) == .init(found: 0, expected: 0))
        #expect(TakeAlignment.firstSlip(found: [0, 0], expected: [0, 0]) == nil)
    }
}
