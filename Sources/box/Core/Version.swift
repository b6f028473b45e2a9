/// The version of the box's software, as in CHANGELOG.md.
public enum SoundboxVersion {
    public static let current = "0.2.0"
}
