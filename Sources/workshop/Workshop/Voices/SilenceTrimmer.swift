import Glibc
import SoundboxCore
import SoundboxVoice

/// Cuts the silence around the sound, and leaves margins that fade in and out without a click.
struct SilenceTrimmer: Sendable {
    /// Samples below this level in dBFS count as silence at either end.
    var threshold: Double
    /// The time that is left before the first sound.
    var lead: Duration
    /// The time that is left after the last sound.
    var tail: Duration

    init(threshold: Double = -50, lead: Duration = .milliseconds(10), tail: Duration = .milliseconds(20)) {
        self.threshold = threshold
        self.lead = lead
        self.tail = tail
    }

    /// The frames from the first to the last that is not silent; `nil` without any sound.
    func sound(in recording: Recording) -> Range<Int>? {
        let floor = Float(Double.amplitude(ofDecibels: threshold))
        let samples = recording.samples
        guard let first = samples.firstIndex(where: { abs($0) >= floor }),
            let last = samples.lastIndex(where: { abs($0) >= floor })
        else { return nil }
        return first..<last + 1
    }

    /// `recording` with exactly ``lead`` and ``tail`` around its sound, padded with silence if it has less.
    ///
    /// The fades are linear and within the margins, so the sound itself is unchanged.
    func trimmed(_ recording: Recording) throws(RecordingError) -> Recording {
        guard let sound = sound(in: recording) else {
            throw .unusable(file: recording.name, reason: "nothing in it is louder than \(threshold) dBFS")
        }
        return cut(recording, around: sound)
    }

    /// The frames of `sound` with ``lead`` and ``tail`` around them, which fade in and out. For callers that have found
    /// the sound by other means than a fixed threshold.
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
    /// The sound without a constant offset, which would click where recordings meet and waste headroom.
    ///
    /// A first-order high-pass at 20 Hz, below any voice. To subtract the mean instead would lift the silence around an
    /// asymmetric word off zero, and no trimmer would recognise it as silence.
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
