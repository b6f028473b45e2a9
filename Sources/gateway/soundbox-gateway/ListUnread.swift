import ArgumentParser
import SoundboxCore
import SoundboxGateway

struct ListUnread: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unread",
        abstract: "List genuine webhooks that could not be read or were for no box, oldest first.",
        discussion: """
            Columns: number, time, hook, how often it came, reason, the first bytes. Reads the gateway's file, also while \
            the gateway runs. Run it as the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "One JSON object a line, with the whole document.")
    var json = false

    func run() throws {
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        let store = try configuration.using("database") {
            try SQLitePaymentStore(path: configuration.database, role: .reader)
        }
        for number in try store.unreadNumbers() {
            guard let unread = try store.unread(number) else { continue }
            guard !json else {
                print(unread.json.text)
                continue
            }
            let columns = [
                "\(unread.number)", "\(unread.came)", unread.webhook.hook, "\(unread.count)", unread.reason,
                String(decoding: unread.webhook.document.prefix(80), as: UTF8.self),
            ]
            print(columns.map(\.printable).joined(separator: "\t"))
        }
    }
}
