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
    func hook(_ section: String, device: String = "{constant: box-01}", others: String = "") throws -> Hook {
        try Hook(
            reading: try YAMLValue(
                parsing: """
                    hook: {\(section)}
                    merchant: {constant: M1001}
                    device: \(device)
                    id: id
                    amount: {field: amount, unit: decimal}
                    \(others)
                    """, file: "hook.yaml"))
    }

    /// Why there is no hook with this section.
    func mistake(_ section: String) throws -> String {
        try #require(throws: YAMLError.self) { try hook(section) }.description
    }

    /// A hook of `provisioning/hooks`, with its keys in this folder.
    func shipped(_ name: String) throws -> Hook {
        let project = #filePath.replacing(/\/Tests\/.*$/, with: "")
        let text = try SmallFile.read("\(project)/provisioning/hooks/\(name).yaml")
        return try Hook(
            reading: try YAMLValue(
                parsing: text.replacing("/etc/soundbox-gateway/", with: folder.path + "/"), file: "\(name).yaml"))
    }
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
        let families = families(openSince: [], boxes: [:], isConnected: true, at: .zero)
        let series = families.first { $0.name == "soundbox_gateway_requests_total" }?.series ?? []
        guard case .number(let count)? = series.first(where: { $0.labels.first?.value == answer.rawValue })?.value
        else {
            return -1
        }
        return count
    }
}
