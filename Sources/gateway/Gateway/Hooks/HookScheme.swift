import SoundboxControl

/// Why a request is refused; never says what the right signature would be.
package struct HookRefusal: Error {
    /// 400 or 401.
    package var status: Int
    package var reason: String
    /// Whether the signature is right.
    package var isGenuine = false

    package init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// A provider's way to sign a webhook: checks it, and gives the JSON document that the mapping reads.
package protocol HookScheme: Sendable {
    /// Lower case; the HTTP server hands on only headers that are named.
    var headers: [String] { get }
    func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8]
    /// What was signed, where it is not the whole document.
    var signed: String? { get }
    /// What an operator must do soon, such as change a key that ends.
    func warnings(at unixSeconds: Int64) -> [String]
    /// The document in a body whose signature was right when it came.
    func document(inGenuine body: [UInt8]) throws(HookRefusal) -> [UInt8]
    /// Answer to a request that is stored (or was already), or that a condition ignores.
    var accepted: HTTPResponse { get }
    /// Answer to one that could not be stored: the provider sends it again.
    func failed(_ reason: String) -> HTTPResponse
}
