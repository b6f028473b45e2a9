// What a confined process can still do. Compiled C, since a process with threads may run nothing else after fork().
#pragma once

/// Confines a child as the one that decodes clips, has it try "nothing", "time", "socket", "open", "fork", "kill",
/// "execute" or "read" (of another descriptor than standard input), and returns what waitpid(2) reports; -1 when there is no child.
int soundbox_try_confined(const char *call);

/// Keeps a child in its process group and has it, or a shell that it starts ("started"), try to leave by "setsid" or
/// "setpgid". Returns what waitpid(2) reports: 0 when that was refused; -1 when there is no child.
int soundbox_try_to_leave(const char *call);
