extension String {
    /// The beginning of text from outside, in quotes, fit for a one-line log message or a receipt: at most 32 Unicode
    /// scalars, control characters shown as `?`.
    package var excerpt: String {
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(32) {
            shown.append(scalar.properties.generalCategory == .control ? "?" : scalar)
        }
        return "\"\(String(shown))\"" + (unicodeScalars.dropFirst(32).isEmpty ? "" : "…")
    }
}
