import Glibc
import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

/// A folder with a provider's keys, and hooks that read them.
struct HookFolder {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Returns: the path of a file that only its owner may read.
    @discardableResult
    func secret(_ text: String, in name: String = "secret") throws -> String {
        let path = try folder.write("\(text)\n", to: name)
        chmod(path, 0o600)
        return path
    }

    /// A hook with this section, whose mapping is of no interest.
    func hook(_ section: String) throws -> Hook {
        try hook(
            text: """
                hook: {\(section)}
                merchant: {constant: M1001}
                device: {constant: box-01}
                id: id
                amount: {field: amount, unit: decimal}
                """)
    }

    /// A hook whose signature has these keys.
    func recipe(
        _ section: String, device: String = "{constant: box-01}", id: String = "id", amount: String = "amount",
        others: String = ""
    ) throws -> Hook {
        try hook(
            text: """
                signature: {\(section)}
                merchant: {constant: M1001}
                device: \(device)
                id: \(id)
                amount: {field: \(amount), unit: decimal}
                \(others)
                """)
    }

    /// A hook with this file.
    func hook(text: String) throws -> Hook {
        try Hook(reading: try YAMLValue(parsing: text, file: "hook.yaml"))
    }

    /// Why there is no hook with this section.
    func mistake(_ section: String) throws -> String {
        try #require(throws: YAMLError.self) { try hook(section) }.description
    }

    /// Why there is no hook whose signature has these keys.
    func recipeMistake(_ section: String, device: String = "{constant: box-01}", others: String = "") throws -> String {
        try #require(throws: YAMLError.self) { try recipe(section, device: device, others: others) }.description
    }

    /// A hook of `provisioning/hooks`, with its keys in this folder.
    /// - Parameter changes: what is written otherwise than in the file.
    func shipped(_ name: String, changes: [String: String] = [:]) throws -> Hook {
        var text = try Self.text(ofShipped: name).replacing("/etc/soundbox-gateway/", with: folder.path + "/")
        for (old, new) in changes { text = text.replacing(old, with: new) }
        return try Hook(reading: try YAMLValue(parsing: text, file: "\(name).yaml"))
    }

    static let shippedFolder = #filePath.replacing(/\/Tests\/.*$/, with: "") + "/provisioning/hooks"

    static func text(ofShipped name: String) throws -> String { try SmallFile.read("\(shippedFolder)/\(name).yaml") }
}

/// The HMAC-SHA-256 of a text.
func code(_ text: String, key: String) -> [UInt8] {
    Array(key.utf8).withUnsafeBytes { SHA256.authenticationCode(of: Array(text.utf8), key: $0) }
}

/// The status of a refusal; `nil` if the request is taken.
func refusal(_ hook: Hook, _ request: HTTPRequest, at time: Int64) -> Int? {
    do {
        _ = try hook.scheme.open(request, at: time)
        return nil
    } catch {
        // Never what the right signature would have been.
        #expect(error.reason.utf8.count < 200)
        return error.status
    }
}

extension HTTPRequest {
    init(headers: [String: String], body: [UInt8]) {
        self.init(method: "POST", target: "/hooks/trial".utf8, body: body)
        self.headers = headers
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension Hook {
    func box(of document: [UInt8], at index: Int = 0) throws -> Box {
        try box(in: try JSONValue(parsing: document, toleratesBrokenText: true), at: index)
    }
}

extension GatewayMetrics {
    /// Requests with this answer.
    func count(of answer: Answer) -> Double {
        let families = families(nil, boxes: [:], isConnected: true, at: .zero)
        let series = families.first { $0.name == "soundbox_gateway_requests_total" }?.series ?? []
        guard case .number(let count)? = series.first(where: { $0.labels.first?.value == answer.rawValue })?.value
        else {
            return -1
        }
        return count
    }
}
