#!/usr/bin/env python3
"""arm64-namespace.py QEMU COMMAND...: runs the command, as root, in a user name space with a binfmt_misc of its own, in
which arm64 programs run by QEMU (a static qemu-aarch64). Nothing of the machine is changed. Linux 6.7 or later; exit
code 75 where the kernel has no such thing."""
import ctypes
import os
import sys

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
PR_SET_PDEATHSIG, SIGKILL = 1, 9
# An ELF file for AArch64, as QEMU's scripts/qemu-binfmt-conf.sh has it.
MAGIC = rb"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = rb"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def enter():
    """All users stay who they are. Only a process outside may say so."""
    (left, tell_left), (mapped, tell_mapped) = os.pipe(), os.pipe()
    parent = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.read(left, 1)
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{parent}/{name}", "w") as file:
                file.write("0 0 4294967295\n")
        os.write(tell_mapped, b"x")
        os._exit(0)
    checked(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID))
    os.write(tell_left, b"x")
    os.read(mapped, 1)
    os.waitpid(helper, 0)
    for descriptor in (left, tell_left, mapped, tell_mapped):
        os.close(descriptor)


def register(qemu):
    checked(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    checked(libc.mount(b"proc", b"/proc", b"proc", 0, None))
    checked(libc.mount(b"binfmt_misc", b"/proc/sys/fs/binfmt_misc", b"binfmt_misc", 0, None))
    with open("/proc/sys/fs/binfmt_misc/register", "wb", buffering=0) as file:
        file.write(b":qemu-aarch64:M::" + MAGIC + b":" + MASK + b":" + qemu.encode() + b":OCPF")


def main():
    qemu, command = sys.argv[1], sys.argv[2:]
    enter()
    # The first process of the new PID name space, so that its /proc can be mounted.
    child = os.fork()
    if child != 0:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    checked(libc.prctl(PR_SET_PDEATHSIG, SIGKILL))
    try:
        register(qemu)
    except OSError as error:
        print(f"no binfmt_misc in a user name space: {error}", file=sys.stderr)
        sys.exit(75)
    os.execvp(command[0], command)


main()
