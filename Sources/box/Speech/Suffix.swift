import SoundboxCore

/// A part of a sentence whose form depends on the text before it: 원이 and 달러가, Turkish -ı, -i, -u and -ü.
public struct Suffix: Sendable, Equatable {
    public struct Form: Sendable, Equatable {
        /// It fits after a text that ends with one of these; `nil` fits after any.
        public var endings: [String]?
        /// What is spoken; may be empty.
        public var text: String

        public init(after endings: [String]?, _ text: String) {
            self.endings = endings
            self.text = text
        }
    }

    /// The first that fits is spoken. The last one always fits.
    public let forms: [Form]

    public init(_ forms: [Form]) { self.forms = forms }

    func text(after text: String) -> String {
        forms.first { form in form.endings.map { $0.contains(where: text.hasSuffix) } ?? true }?.text ?? ""
    }
}
