import Glibc
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxYAML

/// Requests the box's certificate and setup from the issuer of its claim:
///
///     let enrolment = Enrolment(configuration: path, hardwareID: id)
///     if enrolment.isDue, case .enrolled = try enrolment.attempt() { print("set up") }
///
/// After a kill at any moment there is either the claim, with which the next attempt gives the same result, or a box
/// that is set up: the key is stored before the request, and the claim is removed last.
public struct Enrolment: Sendable {
    public enum Outcome: Sendable, Equatable {
        /// The box is set up, and the claim is removed.
        case enrolled(paths: [String], notice: String?)
        /// The reason in the issuer's words.
        case refused(reason: String)
    }

    /// The path of `soundbox.yaml`.
    private let path: String
    private let hardwareID: String
    private let powerLoss: @Sendable (String) -> PowerLoss

    /// - Parameters:
    ///   - path: the path of `soundbox.yaml`. The claim is beside it.
    ///   - hardwareID: unique to this machine.
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

    /// Sends one request. Blocks: do not call it on Swift's shared pool.
    ///
    /// - Parameter timeout: for the connection and the answer together.
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

    /// Keeps one key until the box is set up: the issuer gives no second certificate for another key.
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
        // Random numbers of the kernel (`SystemRandomNumberGenerator`).
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }

    private func ask(_ request: EnrolmentRequest, by claim: Claim, timeout: Duration) throws -> EnrolmentAnswer {
        // A fixed folder, so that the next attempt cleans up after a kill.
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
        guard let issuerFile = try plan.setup?.configuration.features.certificate?.issuerFile else {
            throw SetupError("\(source) holds none")
        }
        let identity = IdentityFiles(
            inStateDirectory: state, issuerFile: issuerFile, owner: FileOwners.installed.secrets)
        for folder in [SmallFile.folder(of: path), state] {
            // A power cut would delete the certificate.
            guard case .gone(let reason) = powerLoss(folder) else { continue }
            throw SetupError("\(folder): \(reason); turn the overlay file system off (sudo raspi-config)")
        }
        try SmallFile.createFolder(of: identity.path, mode: 0o750, owner: FileOwners.installed.secrets)
        // Write the identity first: the setup that names it is checked with the box's rights. A box that is set up
        // already must not get another box's certificate: an error is undone here, a kill by the next attempt. The
        // folder belongs to the box's user and this may be root, so no link is followed.
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
