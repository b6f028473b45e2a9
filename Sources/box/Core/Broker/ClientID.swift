/// The client ids of this program. The broker keeps undelivered messages under a client id, and accepts only one client
/// with it at a time.
///
///     ClientID.box(merchant: "M1001", device: "box-01")  // soundbox-M1001-box-01
public enum ClientID {
    /// The client id of a box: `soundbox-{merchant}-{device}`, the same at every start, and different from every other
    /// box's.
    ///
    /// A hyphen in the merchant id is written as `%2D`, and a percent sign as `%25`, so that the first hyphen after
    /// `soundbox-` ends it: `a-b` with the device `c` differs from `a` with the device `b-c`.
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

    /// The client id of a short-lived client beside the box: a new one each time, and never a box's, since it has only
    /// one hyphen.
    /// - Parameter purpose: a word of letters.
    public static func visitor(_ purpose: String) -> String {
        "soundbox-\(purpose).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }
}
