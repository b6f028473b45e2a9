// Stands for systemd on the virtual board: runs a program and, as long as it says WATCHDOG=1 in time (sd_notify(3)),
// keeps the board's own watchdog from resetting the board.
//
// usage: supervise SECONDS PROGRAM [ARGUMENT...]
#include <fcntl.h>
#include <linux/watchdog.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int limit = atoi(argv[1]);

  int notices = socket(AF_UNIX, SOCK_DGRAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0notify"};
  if (bind(notices, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 7) != 0) fail("bind");

  char interval[32];
  snprintf(interval, sizeof interval, "%d000000", limit);
  setenv("NOTIFY_SOCKET", "@notify", 1);
  setenv("WATCHDOG_USEC", interval, 1);
  pid_t program = fork();
  if (program == 0) {
    execvp(argv[2], argv + 2);
    fail(argv[2]);
  }

  int watchdog = open("/dev/watchdog", O_WRONLY);
  if (watchdog < 0) fail("/dev/watchdog");
  if (ioctl(watchdog, WDIOC_SETTIMEOUT, &limit) != 0) fail("WDIOC_SETTIMEOUT");
  for (;;) {
    char message[256] = "";
    struct pollfd waiting = {.fd = notices, .events = POLLIN};
    if (poll(&waiting, 1, -1) != 1) continue;
    ssize_t length = recv(notices, message, sizeof message - 1, 0);
    if (length <= 0) continue;
    message[length] = 0;
    if (strstr(message, "WATCHDOG=1")) write(watchdog, "1", 1);
  }
}
