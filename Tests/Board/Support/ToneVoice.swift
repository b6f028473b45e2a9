import Foundation
import TestSupport

/// A voice in which every phrase is a tone of its own pitch, so that a test can hear what was said, and in what order.
///
/// Its rules and sentences are those of the shipped Mandarin voice.
enum ToneVoice {
    static let locale = "zh-CN"

    static let phrases = [
        "支付宝", "微信", "到账", "今日收款", "笔", "总计", "元", "点", "零", "一", "两", "二", "三", "四", "五", "六", "七", "八",
        "九", "十", "百", "千", "万", "网络已连接", "继续按住将清除设置", "设备未激活",
        "重复播报", "无人应答",
    ]

    /// What the chime is called where phrases are listed.
    static let chime = "♪"

    /// Every tone, with what it says. 120 Hz apart, which 40 ms tell from one another.
    static let tones: [(phrase: String, frequency: Double)] = ([chime] + phrases).enumerated().map {
        ($1, 500 + 120 * Double($0))
    }

    private static let sampleRate = 22_050
    /// Seconds. Shorter than a spoken phrase, long enough to be measured in the middle.
    static let duration = 0.25

    /// Writes the voice into `folder`, as `sounds/zh-CN`.
    static func write(to folder: TemporaryFolder) throws {
        let directory = folder.file("sounds/\(locale)")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let shipped = try String(contentsOfFile: "\(Products.project)/sounds/\(locale)/voice.yaml", encoding: .utf8)
        guard let rules = shipped.range(of: "\nrecordings:\n") else {
            throw TestFailure("voice.yaml has no recordings")
        }
        var description = String(shipped[..<rules.upperBound])
        for (index, tone) in tones.enumerated() {
            let name = index == 0 ? "chime" : "tone-\(index)"
            if index > 0 { description += "  - {file: \(name), text: \(tone.phrase)}\n" }
            try wav(of: tone.frequency).write(to: URL(fileURLWithPath: "\(directory)/\(name).wav"))
        }
        try description.write(toFile: "\(directory)/voice.yaml", atomically: false, encoding: .utf8)
    }

    private static func wav(of frequency: Double) -> Data {
        let count = Int(duration * Double(sampleRate))
        var data = Data()
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: "RIFF".utf8)
        append(UInt32(36 + 2 * count))
        data.append(contentsOf: "WAVEfmt ".utf8)
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(sampleRate))
        append(UInt32(2 * sampleRate))
        append(UInt16(2))
        append(UInt16(16))
        data.append(contentsOf: "data".utf8)
        append(UInt32(2 * count))
        for frame in 0..<count {
            append(Int16(8000 * sin(2 * .pi * frequency * Double(frame) / Double(sampleRate))))
        }
        return data
    }
}
