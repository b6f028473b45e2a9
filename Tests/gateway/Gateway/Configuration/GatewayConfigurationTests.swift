import Foundation
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("gateway.yaml")
struct GatewayConfigurationTests {
    private func read(_ text: String) throws(YAMLError) -> GatewayConfiguration {
        try GatewayConfiguration(parsing: text, file: "gateway.yaml")
    }

    private let least = "client_id: gateway-1\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    @Test("Two keys are enough")
    func defaults() throws {
        let configuration = try read(least)
        #expect(configuration.clientID == "gateway-1")
        #expect(configuration.listen.description == "127.0.0.1:8090")
        #expect(configuration.database == .file("/var/lib/soundbox-gateway/gateway.sqlite"))
        #expect(!configuration.reconciles && configuration.keys == nil && configuration.metrics == nil)
        #expect(configuration.currency == .CNY)
        let settings = try configuration.brokerSettings()
        #expect(settings.sessionExpiry == .seconds(30 * 86_400))
    }

    private let all = """
        client_id: gateway-1
        broker: {url: "mqtts://broker.example", ca_file: /ca.pem, keep_alive: 30s}
        listen: "[::1]:9000"
        metrics: "127.0.0.1:9465"
        tokens_file: /t
        keys: /k
        database: "postgresql://soundbox@db.example/soundbox"
        database_password_file: /p
        hooks: /h
        callbacks: {}
        reconciles: true
        currency: JPY
        kinds: [deposit]
        keep: 30d
        """

    @Test("All keys")
    func allKeys() throws {
        let configuration = try read(all)
        #expect(configuration.listen.port == 9000 && configuration.metrics?.port == 9465)
        #expect(configuration.reconciles && configuration.keep == .seconds(30 * 86_400))
        #expect(configuration.kinds.map(\.text) == ["deposit"] && configuration.currency.code == "JPY")
        let database = try PostgreSQLAddress("postgresql://soundbox@db.example/soundbox", passwordFile: "/p")
        #expect(configuration.database == .server(database))
    }

    @Test("It knows whether its file was changed since it was read: a reload says so")
    func outdated() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = try folder.write(least, to: "gateway.yaml")
        let configuration = try GatewayConfiguration(readingFile: path)
        #expect(!configuration.isOutdated)
        try folder.write(least + "reconciles: true\n", to: "gateway.yaml")
        #expect(configuration.isOutdated)
        #expect(try !GatewayConfiguration(readingFile: path).isOutdated)
        #expect(try !read(least).isOutdated)
    }

    @Test("docs/gateway.md has a row for each of them, and for nothing else")
    func documented() throws {
        let project = #filePath.replacing(/\/Tests\/.*$/, with: "")
        let page = try SmallFile.read("\(project)/docs/gateway.md")
        let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("gateway.yaml") })
        let rows = section.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) }
        let keys = all.split(separator: "\n").compactMap { $0.split(separator: ":").first.map(String.init) }
        #expect(Set(rows) == Set(keys) && rows.count == keys.count)
    }

    @Test(
        "What is wrong is named with line and key",
        arguments: [
            ("client_id: x", "broker"), ("listen: \"8.8.8.8:80\"", "an address of the Internet"),
            ("listen: \"127.0.0.1\"", "expected an address"), ("keep: 1h", "from 4d to 365d"),
            ("kinds: [A B]", "name of a kind"),
            ("database: \"postgresql://a:b@c/d\"", "database: has a password"),
            ("database_password_file: /p", "needs a database that is an address"),
            ("nonsense: 1", "unknown key"), ("reconciles: maybe", "reconciles"),
        ])
    func wrong(line: String, complaint: String) {
        let text = line == "client_id: x" ? line : least + line
        let error = #expect(throws: YAMLError.self) { try read(text) }
        #expect(error?.description.contains(complaint) == true, "\(String(describing: error))")
        #expect(error?.description.contains("gateway.yaml") == true)
    }
}
