import SoundboxCore
import TestSupport
import Testing

@Suite("Changes of the volume in a row")
struct LoudnessChangeTests {
    private static let kinds: [Command.VolumeChange] = [
        .up, .down, .mute, .unmute, .to(Volume(0)), .to(Volume(45)), .to(Volume(100)),
    ]

    @Test("Together they come to the same as one after the other", arguments: 1...200 as ClosedRange<UInt64>)
    func together(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Some are made of steps alone, which reach the ends.
        let kinds = seed.isMultiple(of: 2) ? Self.kinds : Array(Self.kinds.prefix(4))
        let changes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            kinds.randomElement(using: &random) ?? .up
        }
        var together = LoudnessChange(changes[0])
        for change in changes.dropFirst() { together = together.followed(by: LoudnessChange(change)) }
        #expect(together.last == changes.last)
        for level in [0, 5, 50, 93, 100] {
            for isMuted in [true, false] {
                let before = Loudness(volume: Volume(level), isMuted: isMuted)
                var after = before
                for change in changes {
                    after = Loudness(
                        volume: change.applied(to: after.volume), isMuted: change.applied(toMuted: after.isMuted))
                }
                #expect(together.applied(to: before) == after, "\(changes) from \(before)")
            }
        }
    }
}
