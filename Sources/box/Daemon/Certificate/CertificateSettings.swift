import SoundboxCore
import SoundboxYAML

/// For a box that renews its own certificate: `enrolment:`.
package struct CertificateSettings: Sendable, Equatable {
    /// PEM of the authority that issues the box's certificate.
    package var issuerFile: String

    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        issuerFile = try mapping.required("issuer_file").path()
        try mapping.refuseOtherKeys()
    }
}
