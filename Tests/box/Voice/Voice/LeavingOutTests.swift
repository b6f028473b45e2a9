import CSndFile
import Foundation
import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Recordings that cannot be read are done without, and taken back")
struct LeavingOutTests {
    private let folder: TestSupport.TemporaryFolder
    private var directory: String { folder.file("zh-CN") }

    init() throws {
        folder = try TestSupport.TemporaryFolder()
        try FileManager.default.copyItem(atPath: "\(shippedSounds)/zh-CN", toPath: directory)
        // Without the whole amounts below ten: what is tested here are amounts of several recordings.
        let list = "\(directory)/voice.yaml"
        let text = try String(contentsOfFile: list, encoding: .utf8)
        try text.replacing(/(?m)^.*text: [零一二三四五六七八九]点.*\n/, with: "")
            .write(toFile: list, atomically: true, encoding: .utf8)
    }

    private func voices() throws -> Voices {
        let (voice, problems) = try VoiceFolder(path: folder.path).voice("zh-CN").leavingOutUnusableRecordings()
        #expect(problems == [])
        return Voices(first: voice)
    }

    private func payment(_ amount: String) throws -> Utterance {
        .payment(try Money(amount, .CNY), channel: "alipay")
    }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: folder.file(from), toPath: folder.file(to))
    }

    private func file(saying text: String) throws -> String {
        let entries = try Voice(directory: directory).recordings.entries
        return "\(directory)/\(try #require(entries.first { $0.text == text }).file).opus"
    }

    /// What the player meets in the middle of an announcement.
    private func failFirst(of voices: inout Voices, _ utterance: Utterance) throws {
        let part = try #require(voices.script(for: utterance).phrases.first)
        let error = #expect(throws: RecordingError.self) { try voices.samples(of: part, at: 48_000) }
        voices.leaveOut(part, because: try #require(error))
    }

    @Test("With the folder away, chime and fallback are still there; with the folder back, the amount is")
    func folderAway() throws {
        var voices = try voices()
        let payment = try payment("123.45")
        let whole = voices.script(for: payment)
        try move("zh-CN", "away")
        try failFirst(of: &voices, payment)
        let fallback = voices.provenScript(for: payment)
        #expect(fallback.text == "到账一笔")
        #expect(fallback.shortcoming != nil)
        for part in [.chime] + fallback.phrases {
            #expect(try !voices.samples(of: part, at: 48_000).isEmpty)
        }
        #expect(voices.unavailable != nil && voices.brokenCount == 0)
        #expect(try voices.provenScript(for: .refund(Money("8", .CNY))).text == "退款一笔")

        try move("away", "zh-CN")
        #expect(voices.provenScript(for: payment) == whole)
        voices.takeBackWhatCanBePlayed()
        #expect(voices.unavailable == nil && !voices.mayHaveMore)
    }

    @Test("No amount is ever a part of the right one, whichever recording is missing")
    func neverWrong() throws {
        let all = try voices()
        let payment = try payment("123.45")
        let right = all.script(for: payment)
        for case .phrase(let index) in right.phrases {
            let name = "zh-CN/\(all.voices[0].recordings.entries[index].file).opus"
            try move(name, "gone")
            defer { try? move("gone", name) }
            var voices = all
            // The failure comes while it is played.
            voices.leaveOut(
                .phrase(index), because: .unavailable(file: name, reason: "No such file or directory"))
            let proven = voices.provenScript(for: payment)
            let isWhole = proven.text.contains("一百二十三点四五元") && proven.shortcoming == nil
            let isFallback = proven.text.hasSuffix("到账一笔") && proven.shortcoming != nil
            #expect(isWhole || isFallback, "\(proven.text) without \(name)")
            #expect(!proven.phrases.contains(.phrase(index)))
        }
    }

    @Test("A file that is no sound stays left out until somebody writes it anew")
    func broken() throws {
        let file = try file(saying: "七")
        let sound = try Data(contentsOf: URL(fileURLWithPath: file))
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: file))
        let (voice, problems) = try VoiceFolder(path: folder.path).voice("zh-CN").leavingOutUnusableRecordings()
        #expect(problems.count == 1)
        var voices = Voices(first: voice)
        #expect(voices.brokenCount == 1 && voices.unavailable == nil)
        #expect(!voices.mayHaveMore)
        #expect(try voices.provenScript(for: payment("7.5")).text == "支付宝到账一笔")

        try sound.write(to: URL(fileURLWithPath: file))
        #expect(voices.mayHaveMore)
        #expect(try voices.provenScript(for: payment("7.5")).text.contains("七点五元"))
        #expect(voices.brokenCount == 0)
    }

    /// Cut within a page, cut between two, followed by another stream, of no bytes, and with a page changed.
    @Test("Opus that is damaged is named and left out, and the payment is told all the same", arguments: 0..<5)
    func brokenOpus(kind: Int) throws {
        let file = try file(saying: "七")
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        let other = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/chime.opus")))
        var changed = whole
        changed[whole.count / 2] ^= 1
        // Header and comments are two pages, and the word is one.
        let word = try #require(Data(whole).range(of: Data("OggS".utf8), options: .backwards)).lowerBound
        let broken = [Array(whole.dropLast(9)), Array(whole.prefix(word)), whole + other, [], changed][kind]
        try Data(broken).write(to: URL(fileURLWithPath: file))
        let (voice, problems) = try VoiceFolder(path: folder.path).voice("zh-CN").leavingOutUnusableRecordings()
        #expect(problems.count == 1 && problems.allSatisfy { $0.description.contains(file) })
        let script = Voices(first: voice).script(for: try payment("7.5"))
        #expect(script.text == "支付宝到账一笔" && script.shortcoming != nil)
    }

    /// Silence, half of a WAV, and another codec than voices have, which may be cut off without a sign.
    @Test(
        "What would be half a word or a silent one is left out, and the payment is told all the same", arguments: 0..<3)
    func unheard(kind: Int) throws {
        let opus = try file(saying: "七")
        let sound = try AudioFile(reading: opus).recording
        let wav = opus.replacing(".opus", with: ".wav")
        let file = kind == 2 ? opus : wav
        if kind != 2 { try FileManager.default.removeItem(atPath: opus) }
        let format = kind == 2 ? SF_FORMAT_OGG | SF_FORMAT_VORBIS : SF_FORMAT_WAV | SF_FORMAT_PCM_16
        let samples = kind == 0 ? sound.pcm16.map { $0 / 200 } : sound.pcm16
        do {
            try SoundFile(creating: file, sampleRate: sound.sampleRate, channelCount: 1, format: Int32(format))
                .writeFrames(samples)
        }
        if kind == 1 {
            let whole = try Data(contentsOf: URL(fileURLWithPath: file))
            try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: file))
        }
        let (voice, problems) = try VoiceFolder(path: folder.path).voice("zh-CN").leavingOutUnusableRecordings()
        #expect(problems.count == 1 && problems.allSatisfy { $0.description.contains(file) }, "\(problems)")
        let script = Voices(first: voice).script(for: try payment("7.5"))
        #expect(script.text == "支付宝到账一笔" && script.shortcoming != nil)
        // A take of a person may be all of it.
        #expect(throws: Never.self) { try AudioFile(reading: file) }
    }

    @Test("A voice whose recordings are WAV, FLAC and Opus speaks with all of them")
    func mixedFormats() throws {
        let before = try voices().script(for: payment("7.5"))
        let names = try Voice(directory: directory).recordings.playable
        for (part, format) in zip(before.phrases, [RecordingFormat.wav, .flac]) {
            guard case .phrase(let index) = part else { continue }
            let opus = "\(directory)/\(names[index]).opus"
            let sound = try AudioFile(reading: opus).recording
            try SoundFile(
                creating: "\(directory)/\(names[index]).\(format)", sampleRate: sound.sampleRate, channelCount: 1,
                format: Int32((format == .wav ? SF_FORMAT_WAV : SF_FORMAT_FLAC) | SF_FORMAT_PCM_16)
            ).writeFrames(sound.pcm16)
            try FileManager.default.removeItem(atPath: opus)
        }
        let voices = try voices()
        #expect(try voices.script(for: payment("7.5")) == before)
        for part in before.phrases { #expect(try !voices.samples(of: part, at: 48_000).isEmpty) }
    }

    @Test("A voice is ready with its fallback held, and a damaged recording is known once it was proven")
    func ready() throws {
        let file = try file(saying: "七")
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: file))
        let (voice, problems) = try VoiceFolder(path: folder.path).voice("zh-CN").readyToSpeak()
        #expect(problems == [])
        let voices = Voices(first: voice, others: [voice])
        let count = voice.recordings.playable.count
        #expect(voices.unproven == (0..<2 * count).map { .phrase($0) })
        var scratch: [Float] = []
        let found = voices.unproven.compactMap { voices.problem(with: $0, in: &scratch) }
        #expect(found.count == 2 && found.allSatisfy { $0.description.contains(file) })
        try move("zh-CN", "away")
        #expect(try !voices.samples(of: .chime, at: 48_000).isEmpty)
    }

    @Test("Where the fallback cannot be decoded, every recording is tried before the voice is used")
    func fallbackIsMissing() throws {
        let file = try file(saying: "到账一笔")
        try FileManager.default.removeItem(atPath: file)
        let (voice, problems) = try VoiceFolder(path: folder.path).voice("zh-CN").readyToSpeak()
        #expect(problems.count == 1 && problems.allSatisfy { $0.description.contains(file) })
        #expect(Voices(first: voice).unproven == [])
    }
}
