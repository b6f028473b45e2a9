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

    init(folder: TemporaryFolder) throws {
        sound = try HeardSound(reading: folder.file("sound.raw"))
        soundStart = try Self.numbers(in: "sound.start", of: folder).first?.first ?? 0
        outputs = try Self.outputs(in: folder)
    }

    /// When the LED was lit, for a watch without a recording.
    static func lights(in folder: TemporaryFolder) throws -> [Stretch] {
        stretches(of: try outputs(in: folder), \.isLit)
    }

    private static func outputs(in folder: TemporaryFolder) throws -> [Outputs] {
        try numbers(in: "outputs", of: folder).filter { $0.count == 3 }
            .map { Outputs(time: $0[0], isLit: $0[1] == 1, isVibrating: $0[2] == 1) }
    }

    private static func numbers(in name: String, of folder: TemporaryFolder) throws -> [[Double]] {
        String(decoding: try folder.read(name), as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: " ").compactMap { Double($0) } }
    }

    /// How long the motor ran each time, in seconds.
    var vibrations: [Double] { Self.stretches(of: outputs, \.isVibrating).map { $0.end - $0.start } }

    /// When the LED was lit.
    var lights: [Stretch] { Self.stretches(of: outputs, \.isLit) }

    /// From when to when, in seconds since boot. One that had not ended ends with the last change seen.
    struct Stretch {
        var start: Double
        var end: Double
    }

    private static func stretches(of outputs: [Outputs], _ isOn: (Outputs) -> Bool) -> [Stretch] {
        var stretches: [Stretch] = []
        var start: Double?
        for change in outputs {
            if isOn(change), start == nil { start = change.time }
            if !isOn(change), let begin = start {
                stretches.append(Stretch(start: begin, end: change.time))
                start = nil
            }
        }
        if let start, let last = outputs.last { stretches.append(Stretch(start: start, end: last.time)) }
        return stretches
    }
}
