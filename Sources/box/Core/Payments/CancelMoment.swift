/// The state of a payment or custom message when it was cancelled. Stands in its receipt.
public enum CancelMoment: String, Sendable {
    case beforeItCame = "before it came"
    case whileItWaited = "while it waited"
    case whileItSounded = "while it sounded"

    public init(hasBegun: Bool) { self = hasBegun ? .whileItSounded : .whileItWaited }
}
