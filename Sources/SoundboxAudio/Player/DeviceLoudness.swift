import SoundboxCore

/// Who makes the volume: the device, where it has one, or the samples.
struct DeviceLoudness {
    private let device: SoundDevice
    private var last: (wanted: Volume, isTaken: Bool)?

    init(_ device: SoundDevice) { self.device = device }

    var isDevices: Bool { last?.isTaken ?? false }

    /// What the samples are scaled by: the volume, or nothing where the device itself is as loud as that. Silence is
    /// always made here, by a ramp: switches click, and many elements do not go down to nothing.
    ///
    /// A device has one volume for all: the louder one's, and the other's samples are scaled by what lies between.
    /// - Parameters:
    ///   - announcement: the volume of chime and words; `nil` while there are none.
    ///   - ring: of the ring; `nil` while there is none.
    mutating func gains(announcement: Volume?, ring: Volume?) -> Mixer.Gains {
        let loudest = max(announcement ?? Volume(0), ring ?? Volume(0))
        guard loudest.level > 0 else { return Mixer.Gains(loudest) }
        if last?.wanted != loudest { last = (loudest, device.setVolume(loudest.level)) }
        let unit = isDevices ? loudest.gain : 1
        return Mixer.Gains(
            announcement: (announcement ?? loudest).gain / unit, ring: (ring ?? loudest).gain / unit)
    }
}
