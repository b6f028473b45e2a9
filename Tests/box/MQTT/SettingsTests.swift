import SoundboxCore
import SoundboxMQTT
import TestSupport
import Testing

@Suite("Broker URLs, topics and settings")
struct SettingsTests {
    @Test(
        "A URL names host, port and encryption",
        arguments: [
            ("mqtt://broker.example", BrokerAddress(host: "broker.example", port: 1883, usesTLS: false)),
            ("mqtts://broker.example", BrokerAddress(host: "broker.example", port: 8883, usesTLS: true)),
            ("mqtt://127.0.0.1:1884", BrokerAddress(host: "127.0.0.1", port: 1884, usesTLS: false)),
            ("MQTTS://broker.example:443/", BrokerAddress(host: "broker.example", port: 443, usesTLS: true)),
            ("mqtt://[::1]", BrokerAddress(host: "::1", port: 1883, usesTLS: false)),
            ("mqtts://[2001:db8::1]:8884", BrokerAddress(host: "2001:db8::1", port: 8884, usesTLS: true)),
        ])
    func url(text: String, expected: BrokerAddress) throws {
        let address = try BrokerAddress(url: text)
        #expect(address == expected)
        #expect(try BrokerAddress(url: address.description) == expected)
    }

    @Test(
        "A URL that cannot be used is refused with the reason",
        arguments: [
            ("broker.example:1883", "mqtt://host:port"), ("http://broker.example", "the scheme is mqtt or mqtts"),
            ("mqtt://", "the host is missing"), ("mqtt://:1883", "the host is missing"),
            ("mqtt://broker:0", "the port"), ("mqtt://broker:65536", "the port"), ("mqtt://broker:", "the port"),
            ("mqtt://broker:+1", "the port"), ("mqtt://broker/topic", "nothing may follow the port"),
            ("mqtt://::1", "an IPv6 address stands in brackets"), ("mqtt://[::1", "never closed"),
            ("mqtt://[::1]x", "only :port"), ("mqtt://[broker]", "only an IPv6 address"),
            ("mqtt://bro ker", "a space"),
        ])
    func refusedURL(text: String, reason: String) {
        let error = #expect(throws: BrokerAddressError.self) { try BrokerAddress(url: text) }
        #expect(error?.reason.contains(reason) == true)
    }

    @Test(
        "A URL with a password in it is refused without repeating the password",
        arguments: [
            "mqtt://box:hunter2@broker", "mqtt://box:hunter2", "http://box:hunter2@broker", "hunter2://broker",
            "box:hunter2@broker", "mqtt://broker/?password=hunter2", "mqtt://broker:1883#hunter2", "mqtt://[hunter2]",
        ])
    func secretInURL(url: String) {
        let error = #expect(throws: BrokerAddressError.self) { try BrokerAddress(url: url) }
        #expect(error?.description.contains("hunter2") == false)
        if url == "mqtt://box:hunter2@broker" { #expect(error?.reason.contains("password_file") == true) }
    }

    @Test("Topics are made of prefix, merchant and device")
    func topics() throws {
        let topics = try Topics(prefix: "shop/pay", merchant: "M1", device: "前台")
        #expect(topics[.payments] == "shop/pay/M1/前台/payments")
        #expect(topics[.commands] == "shop/pay/M1/前台/commands")
        #expect(topics[.receipts] == "shop/pay/M1/前台/receipts")
        #expect(topics[.status] == "shop/pay/M1/前台/status")
    }

    @Test(
        "A level that could reach other boxes' topics is refused",
        arguments: ["", "+", "#", "M1/x", "M+1", "M\u{0}1", "M1\n"])
    func refusedLevels(level: String) {
        #expect(throws: TopicsError.self) { try Topics(merchant: level, device: "d") }
        #expect(throws: TopicsError.self) { try Topics(merchant: "M", device: level) }
    }

    @Test("Neither description nor dump shows the password")
    func noPassword() throws {
        let settings = try boxSettings(port: 1883) {
            $0.username = "box"
            $0.password = "hunter2"
        }
        var dumped = ""
        dump(settings, to: &dumped)
        for text in [settings.description, "\(settings)", String(reflecting: [settings]), dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
