import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A claim: the file that a box of a batch has instead of a setup. It names the issuer of the setup and the broker to
/// reach it, and contains the token that authenticates the request.
struct Claim: Equatable {
    /// The name of the batch.
    let name: String
    let token: Secret
    /// The certificate of the issuer, in PEM. It signs the box's certificate and its setup.
    let issuer: String
    /// The broker's keys, as in a setup.
    private let broker: YAMLDocument
    /// A provisioning file with only `wifi` and `system`; `nil` if the claim has neither.
    let network: YAMLDocument?
    /// The text of the file.
    let text: String
    private let file: String

    /// - Parameter file: the name for errors. Errors repeat no value.
    init(parsing text: String, file: String) throws(YAMLError) {
        var document = try YAMLDocument(parsing: text, file: file)
        let top = try YAMLValue(parsing: text, file: file, isConfidential: true).mapping()
        let (name, token, issuer) = (
            try top.required("claim"), try top.required("token"), try top.required("issuer")
        )
        _ = try top.required("broker")
        let (wifi, system) = (top.optional("wifi"), top.optional("system"))
        try top.refuseOtherKeys()
        self.name = try name.string()
        guard EnrolmentTopics.isName(self.name) else {
            throw name.error("expected 1 to 64 letters, digits, dots, hyphens and underscores")
        }
        self.token = Secret(try token.string())
        guard self.token.value.utf8.count >= 16 else {
            throw token.error("is shorter than 16 characters; anybody could guess it")
        }
        self.issuer = try issuer.string()
        do { _ = try ClientCertificate(reading: self.issuer) } catch { throw issuer.error(error.description) }
        if let wifi { _ = try WiFiNetwork(reading: wifi) }
        if wifi != nil || system != nil {
            var network = document
            for key in ["claim", "token", "issuer", "broker"] { network[path: [key]] = nil }
            self.network = network
        } else {
            network = nil
        }
        for key in ["claim", "token", "issuer", "wifi", "system"] { document[path: [key]] = nil }
        (broker, self.text, self.file) = (document, text, file)
        _ = try connection(of: "box", in: "/")
    }

    /// The setup of a temporary box, with the name of this machine, that connects to the issuer.
    ///
    /// - Parameter folder: where its files are written.
    func connection(of hardwareID: String, in folder: String) throws(YAMLError) -> SetupPlan {
        var document = broker
        document["merchant_id"] = name
        document["device_id"] = hardwareID
        return try SetupPlan(document, source: file, to: "\(folder)/soundbox.yaml")
    }
}
