import Testing

/// What only a kernel's own GPIO, sound and disk can show. One after the other, since each board takes a whole computer.
@Suite(
    "On a virtual board", .serialized,
    .enabled("needs QEMU and a kernel for it: make board-test says what is missing") {
        await GuestImage.obstacle() == nil
    })
enum VirtualBoardTests {}
