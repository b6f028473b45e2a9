import Testing

/// What only a kernel's own GPIO, sound and disk can show. Suites run beside each other, each on a board of its own.
@Suite(
    "On a virtual board",
    .enabled("needs QEMU and a kernel for it: make board-test says what is missing") {
        await GuestImage.obstacle() == nil
    })
enum VirtualBoardTests {}
