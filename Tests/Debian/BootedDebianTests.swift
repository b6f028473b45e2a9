import Testing

/// What only the installed package shows: systemd's sandbox, device rights, drivers that load late, journald, timesyncd,
/// upgrades of a running service. Suites run one after the other, since one guest keeps two processors busy.
@Suite(
    "On a booted Debian", .serialized,
    .enabled("needs root, QEMU and an image of this build: make debian-image says what is missing") {
        await DebianImage.obstacle() == nil
    })
enum BootedDebianTests {}
