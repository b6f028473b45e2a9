import Glibc
import SoundboxCore
import SoundboxVoice

/// Cuts the silence before and after the sound, and leaves margins in which it fades in and out without a click.
struct SilenceTrimmer: Sendable {
    /// Samples below this level, in dBFS, count as silence at either end.
    var threshold: Double
    /// What is left before the first sound.
    var lead: Duration
    /// What is left after the last sound.
    var tail: Duration

    init(threshold: Double = -50, lead: Duration = .milliseconds(10), tail: Duration = .milliseconds(20)) {
        self.threshold = threshold
        self.lead = lead
        self.tail = tail
    }

    /// The frames from the first to the last that is not silence; `nil` when there is no sound at all.
    func sound(in recording: Recording) -> Range<Int>? {
        let floor = Float(Double.amplitude(ofDecibels: threshold))
        let samples = recording.samples
        guard let first = samples.firstIndex(where: { abs($0) >= floor }),
            let last = samples.lastIndex(where: { abs($0) >= floor })
        else { return nil }
        return first..<last + 1
    }

    /// `recording` with exactly ``lead`` and ``tail`` around its sound, filled up with silence where it has less.
    ///
    /// The fades are linear and lie within the margins, so the sound itself is untouched.
    func trimmed(_ recording: Recording) throws(RecordingError) -> Recording {
        guard let sound = sound(in: recording) else {
            throw .unusable(file: recording.name, reason: "nothing in it is louder than \(threshold) dBFS")
        }
        return cut(recording, around: sound)
    }

    /// The frames of `sound` with ``lead`` and ``tail`` around them, which fade in and out.
    ///
    /// For callers who know better than a fixed threshold where the sound is.
    func cut(_ recording: Recording, around sound: Range<Int>) -> Recording {
        let lead = recording.frames(in: lead)
        let tail = recording.frames(in: tail)
        let samples = (sound.lowerBound - lead..<sound.upperBound + tail).map { frame -> Float in
            guard recording.samples.indices.contains(frame) else { return 0 }
            let sample = recording.samples[frame]
            if frame < sound.lowerBound { return sample * Float(frame - (sound.lowerBound - lead)) / Float(lead) }
            if frame >= sound.upperBound {
                return sample * Float(sound.upperBound + tail - 1 - frame) / Float(tail)
            }
            return sample
        }
        return Recording(name: recording.name, sampleRate: recording.sampleRate, samples: samples)
    }
}

extension Recording {
    /// The same sound around zero. A constant offset makes a click where recordings meet and wastes headroom.
    ///
    /// A first-order high-pass at 20 Hz, below any voice. Subtracting the mean instead would lift the silence around a
    /// lopsided word off zero, where no trimmer takes it for silence.
    func removingOffset() -> Recording {
        guard var previous = samples.first else { return self }
        let memory = Float(exp(-2 * Double.pi * 20 / Double(sampleRate)))
        var output: Float = 0
        let samples = samples.map { sample -> Float in
            output = sample - previous + memory * output
            previous = sample
            return output
        }
        return Recording(name: name, sampleRate: sampleRate, samples: samples)
    }
}
