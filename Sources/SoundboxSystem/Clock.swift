import CLinux

/// Whether the kernel knows that something keeps its clock right: a time server, a radio, a GPS receiver (adjtimex(2)).
///
/// Where a container forbids the question, the answer is yes: its host looks after the clock.
public func clockIsSynchronised() -> Bool { soundbox_clock_is_synchronised() }
