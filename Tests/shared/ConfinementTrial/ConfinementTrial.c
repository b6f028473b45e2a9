#include "ConfinementTrial.h"

#include "CConfinement.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void try_call(const char *call) {
    char byte;
    struct timeval now;
    if (strcmp(call, "time") == 0 && syscall(SYS_gettimeofday, &now, NULL) != 0) _exit(1);
    if (strcmp(call, "socket") == 0) socket(AF_INET, SOCK_STREAM, 0);
    if (strcmp(call, "open") == 0 && (open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES)) _exit(1);
    if (strcmp(call, "fork") == 0) fork();
    if (strcmp(call, "kill") == 0) kill(1, 0);
    if (strcmp(call, "execute") == 0) mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(call, "read") == 0 && read(STDERR_FILENO, &byte, 1) >= 0) _exit(1);
}

static int status_of(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}

int soundbox_try_confined(const char *call) {
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        // Address space for what the test runner has mapped; the bound of memory is not what is tried here.
        if (soundbox_bound_process(~0ul, 10).call != NULL || soundbox_confine_process().call != NULL) _exit(2);
        try_call(call);
        _exit(0);
    }
    return status_of(child);
}

int soundbox_try_to_leave(const char *call) {
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        if (soundbox_keep_in_group().call != NULL) _exit(2);
        if (strcmp(call, "setsid") == 0 && (setsid() != -1 || errno != EPERM)) _exit(1);
        if (strcmp(call, "setpgid") == 0 && (setpgid(0, 0) != -1 || errno != EPERM)) _exit(1);
        // setsid(1) ends with 1 when setsid(2) fails.
        if (strcmp(call, "started") == 0) execl("/bin/sh", "sh", "-c", "! setsid true 2>/dev/null", (char *)NULL);
        _exit(0);
    }
    return status_of(child);
}
