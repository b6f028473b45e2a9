/// Signed by itself, for a key that nobody has.
enum TestCertificate {
    static let text = """
        -----BEGIN CERTIFICATE-----
        MIIBdTCCARugAwIBAgIUdq8lSprYlFwNhaXdRVBn30qlps4wCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjcyMjUyNTZaGA8yMTI2MTEwMzIyNTI1
        NlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGKQ
        In0jBzoQyXF0vtzQ8gCy8Z5LAO+V3gHFm1mGQeQ6Ki6YzpMsTXZjaAECySD3D8iN
        vuBIiTtnGqly3o345pSjUzBRMB0GA1UdDgQWBBS9uIm+7G3+ZGVGch0kd1q9QKOc
        HzAfBgNVHSMEGDAWgBS9uIm+7G3+ZGVGch0kd1q9QKOcHzAPBgNVHRMBAf8EBTAD
        AQH/MAoGCCqGSM49BAMCA0gAMEUCIQD4U9VzMDHGeqkWcLjA9ulOnY8sfeziCLzt
        venltF61FwIgRapdFxUS0ttvE2kEjeW+WlfNHHgqW1jkQIwlhF9ObL8=
        -----END CERTIFICATE-----
        """

    /// As a block in YAML.
    static func indented(by blanks: Int) -> String {
        text.replacing("\n", with: "\n" + String(repeating: " ", count: blanks))
    }
}
