import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxYAML

/// Gets a box its certificate and its setup for a claim, from the issuer, over the claim's broker.
///
/// A kill at any moment leaves either the claim, with which the next attempt comes to the same end, or a box that is
/// set up: the key is on the disk before it is asked for, and the claim goes last.
public struct Enrolment: Sendable {
    public enum Outcome: Sendable, Equatable {
        /// The box is set up, and the claim is gone.
        case enrolled(paths: [String], notice: String?)
        /// In the issuer's words.
        case refused(reason: String)
    }

    /// Of `soundbox.yaml`.
    private let path: String
    private let hardwareID: String
    private let powerLoss: @Sendable (String) -> PowerLoss

    /// - Parameters:
    ///   - path: where `soundbox.yaml` goes. The claim is beside it.
    ///   - hardwareID: tells this machine from every other one.
    public init(configuration path: String, hardwareID: String) {
        self.init(configuration: path, hardwareID: hardwareID, powerLoss: { PowerLoss(in: $0) })
    }

    init(configuration path: String, hardwareID: String, powerLoss: @escaping @Sendable (String) -> PowerLoss) {
        self.path = path
        self.hardwareID = hardwareID
        self.powerLoss = powerLoss
    }

    /// Whether there is a claim.
    public var isDue: Bool { SmallFile.exists(ClaimFile.path(beside: path)) }

    /// Asks once. Blocks: do not call it on Swift's shared pool.
    ///
    /// - Parameter timeout: for connection and answer together.
    /// - Throws: why there is no answer, or why it cannot be used. The claim stays.
    public func attempt(timeout: Duration = .seconds(60)) throws -> Outcome {
        try Provisioning.finishReset(path)
        let claimFile = ClaimFile.path(beside: path)
        let descriptor = open(claimFile, O_RDONLY | O_CLOEXEC)
        let lock = descriptor < 0 ? nil : FileLock(closing: descriptor)
        guard descriptor < 0 || lock != nil else {
            throw SetupError("\(claimFile): another soundbox is asking for this claim already")
        }
        defer { withExtendedLifetime(lock) {} }
        let claim = try Claim(parsing: try WholeFile.read(claimFile), file: claimFile)
        let key = try key()
        let request = EnrolmentRequest(
            claim: claim.name, hardwareID: hardwareID, nonce: Self.nonce(),
            signingRequest: try key.request(for: String(hardwareID.prefix(64))))
        switch try ask(request, by: claim, timeout: timeout) {
        case .refused(let reason): return .refused(reason: reason)
        case .granted(let text, let package):
            let certificate = try ClientCertificate(reading: text, key: key, issuer: claim.issuer)
            let content = try certificate.open(package, with: key, from: claim.issuer)
            let setup = try SealedSetup(decoding: content, for: request)
            return try install(setup, certificate, key, claim)
        }
    }

    // MARK: Asking

    /// The same until the box is set up: its issuer gives no second certificate for another one.
    private func key() throws -> ClientKey {
        let file = ClaimFile.keyPath(beside: path)
        if let text = try? SmallFile.read(file) {
            let key = ClientKey(text: text)
            if (try? key.request(for: "box")) != nil { return key }
        }
        let key = try ClientKey.make()
        try SmallFile.replace(file, with: key.text, mode: 0o600, owner: nil)
        return key
    }

    private static func nonce() -> String {
        // From the kernel, as `SystemRandomNumberGenerator` has it.
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }

    private func ask(_ request: EnrolmentRequest, by claim: Claim, timeout: Duration) throws -> EnrolmentAnswer {
        // One place for it, which the next attempt empties after a kill.
        let folder = ClaimFile.connectionFolder(beside: path)
        let connection = try claim.connection(of: hardwareID, in: folder)
        defer {
            for file in connection.files {
                SmallFile.discard(file.path)
                unlink(file.path)
            }
            rmdir(folder)
        }
        _ = try connection.write(for: SetupOwners())
        var settings = try MQTTSettings(try connection.configuration)
        settings.topics = try EnrolmentTopics.topics(claim: claim.name, hardwareID: hardwareID)
        let token = Array(claim.token.value.utf8)
        let proof = token.withUnsafeBytes { SHA256.authenticationCode(of: request.signedBytes, key: $0) }
        var answer: EnrolmentAnswer?
        do {
            try MQTTPublisher(settings: settings).publish(
                [request.payload(proof: proof.hexadecimal)], to: .receipts, timeout: timeout,
                answers: [.commands]
            ) { payload in
                answer = EnrolmentAnswer(decoding: payload, nonce: request.nonce)
                return answer != nil
            }
        } catch {
            guard case .timedOut(waitingFor: .receipts) = error else { throw error }
            throw SetupError(
                "the broker has the request, and the issuer of the claim \"\(claim.name)\" has not answered within "
                    + "\(timeout.components.seconds) s: is it running?")
        }
        guard let answer else { throw SetupError("the issuer has not answered") }
        return answer
    }

    // MARK: Installing

    private func install(
        _ setup: SealedSetup, _ certificate: ClientCertificate, _ key: ClientKey, _ claim: Claim
    ) throws -> Outcome {
        let source = "the setup from the issuer"
        var document = try YAMLDocument(parsing: setup.text, file: source)
        let state = document["state_directory"] ?? Configuration.Default.stateDirectory
        document[path: ["broker", "certificate"]] = nil
        document[path: ["broker", "key"]] = nil
        document[path: ["enrolment"]] = nil
        document["broker", "cert_file"] = IdentityFiles.path(in: state)
        document["broker", "key_file"] = IdentityFiles.path(in: state)
        document["enrolment", "issuer"] = claim.issuer
        let plan = try ProvisioningPlan(parsing: document.text, file: source, to: path)
        guard let issuerFile = try plan.setup?.configuration.enrolment?.issuerFile else {
            throw SetupError("\(source) holds none")
        }
        let identity = IdentityFiles(
            inStateDirectory: state, issuerFile: issuerFile, owner: FileOwners.installed.secrets)
        for folder in [SmallFile.folder(of: path), state] {
            // The issuer would give a certificate that the next power cut takes away.
            guard case .gone(let reason) = powerLoss(folder) else { continue }
            throw SetupError("\(folder): \(reason); turn the overlay file system off (sudo raspi-config)")
        }
        try SmallFile.createFolder(of: identity.path, mode: 0o750, owner: FileOwners.installed.secrets)
        // The identity comes first, since the setup that names it is looked at with the box's rights. A box that is set
        // up already must not be left with another one's certificate: an error is mended here, a kill by the next
        // attempt. The folder is the box's, and this may be root: no link is followed.
        let before = try? SmallFile.bytes(ofRegularFile: identity.path, limit: 1 << 16)
        try identity.adopt(key, certificate)
        let changed: [String]
        do { changed = try plan.write() } catch {
            try identity.putBack(before.map { String(decoding: $0, as: UTF8.self) })
            throw error
        }
        for file in ClaimFile.paths(beside: path) where unlink(file) != 0 && errno != ENOENT {
            throw SetupError("the box is set up, but \(file) holds a secret and cannot be removed: \(SystemError.last)")
        }
        SmallFile.syncFolder(of: path)
        return .enrolled(paths: [identity.path] + changed, notice: plan.notice)
    }
}
