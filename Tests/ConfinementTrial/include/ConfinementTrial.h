// What a confined process can still do. Compiled C, since a process with threads may run nothing else after fork().
#pragma once

/// Confines a child as the one that decodes clips, has it try "nothing", "time", "socket", "open", "fork", "kill",
/// "execute" or "read" (of another descriptor than standard input), and returns what waitpid(2) reports; -1 when there is no child.
int soundbox_try_confined(const char *call);
