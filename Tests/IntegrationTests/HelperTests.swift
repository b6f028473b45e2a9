import SoundboxSystem
import TestSupport
import Testing

@Suite("A box and its helper", .timeLimit(.minutes(10)))
struct HelperTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let clip = [
        "--clip", "https://cdn.example.com/a.ogg", "--sha256", String(repeating: "0", count: 64),
    ]

    @Test("Without it a text is a message and a clip is refused, with the package's name; with it texts are spoken")
    func missing() async throws {
        // Beside this copy there is no helper.
        let program = folder.file("soundbox")
        try await ChildProcess.run("cp", Products.soundbox, program)
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(
                folder: folder, broker: broker, settings: ["clips: {hosts: [cdn.example.com]}"])
            func tell(_ arguments: [String]) async throws -> String {
                let command = ["tell"] + arguments + ["--wait", "--config", trial.configurationFile]
                return try await result(of: [Products.soundbox] + command).output.last ?? ""
            }
            let box = try await trial.startBox(program: program)
            let text = try await tell(["三号桌客人请取餐"])
            #expect(text.contains(#""state":"failed""#) && text.contains("install the package soundbox-speak"))
            try await box.logged("announcing", "有一条消息")
            let refused = try await tell(Self.clip)
            #expect(refused.contains(#""result":"refused""#) && refused.contains("install the package soundbox-speak"))

            guard SmallFile.exists("/usr/bin/espeak-ng") else { return }
            try await ChildProcess.run("cp", Products.speak, folder.file("soundbox-speak"))
            #expect(try await tell(["三号桌客人请取餐"]).contains(#""state":"spoken""#))
            #expect(try await box.stop() == 0)
        }
    }
}
