import SoundboxCore
import SoundboxSystem
import SoundboxYAML

extension Configuration {
    /// For a box that renews its own certificate.
    public struct Enrolment: Sendable, Equatable {
        /// PEM of the authority that issues the box's certificate.
        public var issuerFile: String

        init(reading value: YAMLValue) throws(YAMLError) {
            let mapping = try value.mapping()
            issuerFile = try mapping.required("issuer_file").path()
            try mapping.refuseOtherKeys()
        }
    }

    /// Where the box keeps the certificate that it renews; `nil` for a box that does not renew one.
    package var identityFiles: IdentityFiles? {
        enrolment.map { IdentityFiles(inStateDirectory: stateDirectory, issuerFile: $0.issuerFile) }
    }
}
