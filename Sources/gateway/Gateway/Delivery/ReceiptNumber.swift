/// Where a receipt stands among those of its box.
package struct ReceiptNumber: Sendable, Equatable {
    /// Of the box's inbox.
    package var epoch: String
    /// Counts in this epoch.
    package var sequence: Int

    package init(epoch: String, sequence: Int) { (self.epoch, self.sequence) = (epoch, sequence) }

    /// Whether this one was said after the other one. It is not when it comes for the second time.
    func isNewer(than other: ReceiptNumber) -> Bool { epoch != other.epoch || sequence > other.sequence }
}
