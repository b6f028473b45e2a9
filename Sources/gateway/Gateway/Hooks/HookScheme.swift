import SoundboxControl

/// Why a request is refused; never says what the right signature would be.
package struct HookRefusal: Error {
    /// 400 or 401.
    package var status: Int
    package var reason: String

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
    /// Answer to a request that is stored (or was already), or that a condition ignores.
    var accepted: HTTPResponse { get }
    /// Answer to one that could not be stored or mapped: the provider knocks again.
    func failed(_ reason: String) -> HTTPResponse
}
