import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// What a box of a batch has instead of a setup: who will give it one, how to reach that, and by what to be believed.
struct Claim: Equatable {
    /// Of the batch.
    let name: String
    let token: Secret
    /// PEM of who signs the box's certificate and its setup.
    let issuer: String
    /// What is known of the broker, as a setup has it.
    private let broker: YAMLDocument
    /// A provisioning file with the network alone; `nil` where the claim names none.
    let network: YAMLDocument?
    /// As it was read.
    let text: String
    private let file: String

    /// - Parameter file: the claim's name for errors, which repeat no value.
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

    /// How to reach the issuer, as the setup of a box that would be named like this machine.
    ///
    /// - Parameter folder: where its files go when it is written.
    func connection(of hardwareID: String, in folder: String) throws(YAMLError) -> SetupPlan {
        var document = broker
        document["merchant_id"] = name
        document["device_id"] = hardwareID
        return try SetupPlan(document, source: file, to: "\(folder)/soundbox.yaml")
    }
}
