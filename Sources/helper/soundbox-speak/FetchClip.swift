import ArgumentParser
import SoundboxCore
import SoundboxSpeak

struct FetchClip: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch the file at the URL on standard input, as it is.",
        discussion: """
            Every address that the host's name has must be on the public Internet, here and after each redirect.

              echo https://cdn.example.com/bye.ogg | soundbox-speak fetch --host cdn.example.com >bye.ogg
            """)

    @Option(help: "A host that may be asked, as in clips.hosts; may be given several times.")
    var host: [String]

    @Flag(help: "Allow http:// beside https://.")
    var plainHttp = false

    @Option(help: "The largest file that is allowed.")
    var maxBytes = 2 << 20

    @Option(help: "For the whole, in milliseconds.")
    var timeout = 10_000

    func validate() throws {
        guard !host.isEmpty else { throw ValidationError("--host: expected one at least") }
        for text in host where HostRule(text) == nil {
            throw ValidationError("--host: \(text.excerpt) is no name of a host such as cdn.example.com")
        }
        guard maxBytes > 0 else { throw ValidationError("--max-bytes: expected a number greater than 0") }
        guard timeout > 0 else { throw ValidationError("--timeout: expected a number greater than 0") }
    }

    func run() {
        let settings = ClipSettings(
            hosts: host.compactMap { HostRule($0) }, allowsPlainHTTP: plainHttp, largest: maxBytes,
            timeout: .milliseconds(timeout))
        StandardStreams.answer {
            let input = String(decoding: try StandardStreams.input(most: ClipURL.longest + 1), as: UTF8.self)
            return try ClipFetcher(settings).bytes(of: input.hasSuffix("\n") ? String(input.dropLast()) : input)
        }
    }
}
