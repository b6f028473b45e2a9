/// What a device and the box agreed on, and the device's counters.
public struct DeviceStatus: Sendable, Equatable {
    public var format: PCMFormat
    /// Frames that the device holds; 0 when it holds none, or is closed.
    public var bufferFrames: Int
    /// How often the device ran dry in the middle of an announcement since the start.
    public var xrunCount: Int

    public init(format: PCMFormat, bufferFrames: Int = 0, xrunCount: Int = 0) {
        self.format = format
        self.bufferFrames = bufferFrames
        self.xrunCount = xrunCount
    }

    /// Without ``xrunCount``, which the status also reports while there is no device.
    public var json: JSONValue {
        .object([
            ("rate", .integer(format.sampleRate)), ("channels", .integer(format.channelCount)),
            ("encoding", .string(format.encoding.rawValue)), ("period_frames", .integer(format.framesPerPeriod)),
            ("buffer_frames", .integer(bufferFrames)),
        ])
    }

    /// Reads ``json``; `nil` for anything else.
    public init?(decoding json: JSONValue) {
        guard let rate = json["rate"]?.integer, let channels = json["channels"]?.integer,
            let encoding = json["encoding"]?.string.flatMap(SampleEncoding.init(rawValue:)),
            let period = json["period_frames"]?.integer, let buffer = json["buffer_frames"]?.integer
        else { return nil }
        self.init(
            format: PCMFormat(sampleRate: rate, channelCount: channels, encoding: encoding, framesPerPeriod: period),
            bufferFrames: buffer)
    }
}

extension DeviceStatus {
    /// For people: rate, channels, encoding, period and buffer.
    public var summary: String {
        func time(_ frames: Int) -> String {
            "\(frames) frames (\(format.duration(ofFrames: frames) / .milliseconds(1)) ms)"
        }
        let channels = format.channelCount == 1 ? "1 channel" : "\(format.channelCount) channels"
        let buffer = bufferFrames > 0 ? " of \(time(bufferFrames)) of buffer" : ""
        return "\(format.sampleRate) Hz, \(channels), \(format.encoding.rawValue), "
            + "periods of \(time(format.framesPerPeriod))\(buffer)"
    }
}
