import Foundation
import TestSupport

/// What a person at the counter would have heard, seen and felt.
struct Observation {
    struct Outputs: Equatable {
        /// Seconds since the board booted.
        var time: Double
        var isLit: Bool
        var isVibrating: Bool
    }

    let sound: HeardSound
    /// Seconds since the board booted, when the recording began.
    let soundStart: Double
    /// Every change of LED and motor, oldest first; the first is the state at the beginning.
    let outputs: [Outputs]
    /// When the watch ended.
    let end: Double

    init(folder: TemporaryFolder) throws {
        sound = try HeardSound(reading: folder.file("sound.raw"))
        func lines(_ name: String) throws -> [[Double]] {
            String(decoding: try folder.read(name), as: UTF8.self).split(separator: "\n")
                .map { $0.split(separator: " ").compactMap { Double($0) } }
        }
        soundStart = try lines("sound.start").first?.first ?? 0
        outputs = try lines("outputs").filter { $0.count == 3 }
            .map { Outputs(time: $0[0], isLit: $0[1] == 1, isVibrating: $0[2] == 1) }
        end = try lines("outputs.end").first?.first ?? 0
    }

    /// How long the motor ran each time, in seconds.
    var vibrations: [Double] { stretches { $0.isVibrating }.map { $0.end - $0.start } }

    /// When the LED was lit, in seconds since boot.
    var lights: [(start: Double, end: Double)] { stretches { $0.isLit } }

    private func stretches(_ isOn: (Outputs) -> Bool) -> [(start: Double, end: Double)] {
        var stretches: [(start: Double, end: Double)] = []
        var start: Double?
        for change in outputs {
            if isOn(change), start == nil { start = change.time }
            if !isOn(change), let begin = start {
                stretches.append((begin, change.time))
                start = nil
            }
        }
        if let start { stretches.append((start, end)) }
        return stretches
    }
}
