/// The names under which this program comes to a broker. The broker keeps what waits for a client under its name, and
/// lets one client of a name in at a time.
public enum ClientID {
    /// The name of a box: `soundbox-{merchant}-{device}`, the same at every start, and no other box's.
    ///
    /// A hyphen in the merchant id is written `%2D`, and a percent sign `%25`, so that the first hyphen behind
    /// `soundbox-` ends it: `a-b` with the device `c` is not `a` with the device `b-c`.
    public static func box(merchant: String, device: String) -> String {
        var name = "soundbox-"
        for scalar in merchant.unicodeScalars {
            switch scalar {
            case "-": name += "%2D"
            case "%": name += "%25"
            default: name.unicodeScalars.append(scalar)
            }
        }
        return "\(name)-\(device)"
    }

    /// The name of a client that stays for a moment, beside the box: another one each time, and no box's, since it has one
    /// hyphen only.
    /// - Parameter purpose: a word of letters.
    public static func visitor(_ purpose: String) -> String {
        "soundbox-\(purpose).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }
}
