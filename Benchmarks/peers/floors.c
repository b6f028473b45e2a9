/* What no sound box can do without, whatever it is written in, measured where the boxes are measured: the same broker,
   the same disk, the same sound device. Nobody announces a payment faster than the sum of the first three.

   usage: floors PORT DEVICE FOLDER PAYMENT

     PORT     of a broker on 127.0.0.1
     DEVICE   an ALSA PCM name
     FOLDER   where the database goes
     PAYMENT  the message that is published and kept

   Prints a line for each floor: its name, a tab, and all samples in milliseconds. */
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 300, PERIODS = 50, SILENCES = 3, RATE = 48000, PERIOD = RATE / 50 };
/* 4.7 s: what "123.45" lasts. */
enum { FRAMES = RATE * 47 / 10 };

static _Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("floors: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* At least so long, and up to 10 ms longer: a disk behind a hypervisor may complete its writes at a tick of 4 ms, and
   equal rests would meet the same phase of it 300 times. */
static void rest(int milliseconds) {
    struct timespec time = {0, milliseconds * 1000000L + random() % 10000000};
    nanosleep(&time, NULL);
}

static void print(const char *name, const double *samples, int count) {
    printf("%s\t", name);
    for (int i = 0; i < count; i++) printf("%.6f ", samples[i]);
    putchar('\n');
}

/* MQTT 3.1.1, as much as this takes. */

static void send_packet(int connection, unsigned char kind, const void *body, size_t count) {
    unsigned char packet[4096] = {kind};
    size_t length = 1;
    if (count > sizeof packet - 5) fail("the payment is too long");
    for (size_t left = count; left || length == 1; left >>= 7)
        packet[length++] = (left & 127) | (left > 127 ? 128 : 0);
    memcpy(packet + length, body, count);
    length += count;
    /* In one piece, so that it is one segment. */
    if (send(connection, packet, length, 0) != (ssize_t)length) fail("the broker does not take a packet");
}

static void receive(int connection, unsigned char *bytes, size_t count) {
    if (count && recv(connection, bytes, count, MSG_WAITALL) != (ssize_t)count) fail("the broker hung up");
}

static void await_packet(int connection, unsigned char kind, unsigned char body[4096]) {
    unsigned char byte;
    size_t length = 0;
    int shift = 0;
    receive(connection, &byte, 1);
    if ((byte & 0xF0) != kind) fail("the broker answers with packet %#x, not %#x", byte, kind);
    do {
        receive(connection, &byte, 1);
        length |= (size_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    if (length > 4096) fail("the broker sends a packet of %zu bytes", length);
    receive(connection, body, length);
}

static int join(int port, char name) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    unsigned char body[4096];
    int connection = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) fail("no broker on port %d", port);
    memcpy(body, "\0\4MQTT\4\2\0\0\0\6floor", 17);
    body[17] = name;
    send_packet(connection, 0x10, body, 18);
    await_packet(connection, 0x20, body);
    return connection;
}

/* From a publisher's send until a subscriber has the message: through the broker once. */
static void measure_broker(int port, const char *payment) {
    static const char topic[] = "\0\6floors";
    unsigned char body[4096], answer[4096];
    double samples[COUNT];
    size_t length = strlen(payment);
    int publisher = join(port, 'p'), subscriber = join(port, 's');
    if (length > sizeof body - 64) fail("the payment is too long");
    memcpy(body, "\0\1", 2);
    memcpy(body + 2, topic, 8);
    body[10] = 1;
    send_packet(subscriber, 0x82, body, 11);
    await_packet(subscriber, 0x90, answer);
    memcpy(body, topic, 8);
    memcpy(body + 8, "\0\1", 2);
    memcpy(body + 10, payment, length);
    for (int i = 0; i < COUNT; i++) {
        double sent = now(CLOCK_MONOTONIC);
        send_packet(publisher, 0x32, body, 10 + length);
        await_packet(subscriber, 0x30, answer);
        samples[i] = now(CLOCK_MONOTONIC) - sent;
        /* Behind the topic stands the number that is to be acknowledged. */
        send_packet(subscriber, 0x40, answer + 8, 2);
        await_packet(publisher, 0x40, answer);
        rest(5);
    }
    close(publisher);
    close(subscriber);
    print("broker round trip", samples, COUNT);
}

/* One payment on the disk, as safely as SQLite can: a power cut right behind the commit does not lose it. Pages of
   1 KiB write the least. */
static void measure_insert(const char *folder, const char *payment) {
    char path[4096];
    double samples[COUNT];
    sqlite3 *database;
    sqlite3_stmt *insertion;
    snprintf(path, sizeof path, "%s/floors.sqlite", folder);
    if (sqlite3_open(path, &database) ||
        sqlite3_exec(
            database,
            "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE payment (number INTEGER PRIMARY KEY, notice TEXT NOT NULL)",
            NULL, NULL, NULL) ||
        sqlite3_prepare_v2(database, "INSERT INTO payment (notice) VALUES (?)", -1, &insertion, NULL))
        fail("%s: %s", path, sqlite3_errmsg(database));
    sqlite3_bind_text(insertion, 1, payment, -1, SQLITE_STATIC);
    for (int i = 0; i < COUNT; i++) {
        double begun = now(CLOCK_MONOTONIC);
        if (sqlite3_step(insertion) != SQLITE_DONE) fail("%s: %s", path, sqlite3_errmsg(database));
        sqlite3_reset(insertion);
        samples[i] = now(CLOCK_MONOTONIC) - begun;
        rest(5);
    }
    sqlite3_finalize(insertion);
    sqlite3_close(database);
    print("one fsync'd insert", samples, COUNT);
}

static void check(int code, const char *device, const char *what) {
    if (code < 0) fail("%s: %s: %s", device, what, snd_strerror(code));
}

/* An open stream. Starting the device is not a part of the first write: whoever writes more than one period starts it
   later. */
static snd_pcm_t *open_stream(const char *device, snd_pcm_uframes_t period, snd_pcm_uframes_t buffer) {
    const snd_pcm_uframes_t threshold = 2 * period;
    snd_pcm_t *pcm;
    snd_pcm_hw_params_t *hardware;
    snd_pcm_sw_params_t *software;
    unsigned rate = RATE;
    check(snd_pcm_open(&pcm, device, SND_PCM_STREAM_PLAYBACK, 0), device, "open");
    snd_pcm_hw_params_alloca(&hardware);
    check(snd_pcm_hw_params_any(pcm, hardware), device, "any parameters");
    check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), device, "interleaved");
    check(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE), device, "S16");
    check(snd_pcm_hw_params_set_channels(pcm, hardware, 1), device, "mono");
    check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, NULL), device, "rate");
    check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, NULL), device, "period");
    check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), device, "buffer");
    check(snd_pcm_hw_params(pcm, hardware), device, "parameters");
    snd_pcm_sw_params_alloca(&software);
    check(snd_pcm_sw_params_current(pcm, software), device, "current parameters");
    check(snd_pcm_sw_params_set_avail_min(pcm, software, period), device, "room");
    check(snd_pcm_sw_params_set_start_threshold(pcm, software, threshold), device, "threshold");
    check(snd_pcm_sw_params(pcm, software), device, "software parameters");
    return pcm;
}

/* What an announcement of nothing costs: silence, a program that does nothing else, and the device with whatever
   threads it brings along. It wakes up for each period. */
static void measure_silence(const char *device, const char *name, int milliseconds, int periods, int is_urgent) {
    const snd_pcm_uframes_t period = RATE / 1000 * milliseconds;
    const struct sched_param urgent = {.sched_priority = 5}, ordinary = {.sched_priority = 0};
    short *silence = calloc(period, sizeof *silence);
    double processor[SILENCES];
    snd_pcm_t *pcm = open_stream(device, period, period * periods);
    /* Where the machine grants no real time there is no such floor. */
    if (is_urgent && pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent)) goto end;
    for (int i = 0; i < SILENCES; i++) {
        double worked = now(CLOCK_PROCESS_CPUTIME_ID);
        for (snd_pcm_uframes_t written = 0; written < FRAMES; written += period) {
            snd_pcm_sframes_t taken = snd_pcm_writei(pcm, silence, period);
            if (taken != (snd_pcm_sframes_t)period) fail("%s: it took %ld of %lu frames", device, taken, period);
        }
        check(snd_pcm_drain(pcm), device, "drain");
        check(snd_pcm_prepare(pcm), device, "prepare");
        processor[i] = now(CLOCK_PROCESS_CPUTIME_ID) - worked;
    }
    print(name, processor, SILENCES);
end:
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &ordinary);
    free(silence);
    snd_pcm_close(pcm);
}

/* The first period into a stream that is open, prepared and empty. */
static void measure_period(const char *device) {
    static short silence[PERIOD];
    double samples[PERIODS], processor[PERIODS];
    snd_pcm_t *pcm = open_stream(device, PERIOD, 6 * PERIOD);
    for (int i = 0; i < PERIODS; i++) {
        check(snd_pcm_drop(pcm), device, "drop");
        check(snd_pcm_prepare(pcm), device, "prepare");
        rest(50);
        double begun = now(CLOCK_MONOTONIC), worked = now(CLOCK_THREAD_CPUTIME_ID);
        snd_pcm_sframes_t taken = snd_pcm_writei(pcm, silence, PERIOD);
        processor[i] = now(CLOCK_THREAD_CPUTIME_ID) - worked;
        samples[i] = now(CLOCK_MONOTONIC) - begun;
        if (taken != PERIOD) fail("%s: it took %ld of %d frames", device, (long)taken, PERIOD);
    }
    snd_pcm_close(pcm);
    print("one ALSA period", samples, PERIODS);
    print("  its processor", processor, PERIODS);
}

/* All that a mixer can save is the mixing: somebody has to put the frames where the device takes them from. */
static void measure_copy(void) {
    double samples[COUNT];
    short *source = malloc(FRAMES * sizeof *source), *target = malloc(FRAMES * sizeof *target);
    if (!source || !target) fail("no memory");
    memset(source, 1, FRAMES * sizeof *source);
    memset(target, 2, FRAMES * sizeof *target);
    for (int i = 0; i < COUNT; i++) {
        double begun = now(CLOCK_MONOTONIC);
        memcpy(target, source, FRAMES * sizeof *source);
        /* Without this the compiler leaves out a copy that nobody looks at. */
        __asm__ volatile("" : : "r"(target) : "memory");
        samples[i] = now(CLOCK_MONOTONIC) - begun;
        rest(1);
    }
    free(source);
    free(target);
    print("memcpy of the frames", samples, COUNT);
}

int main(int count, char **arguments) {
    if (count != 5) fail("usage: floors PORT DEVICE FOLDER PAYMENT");
    measure_broker(atoi(arguments[1]), arguments[4]);
    measure_insert(arguments[3], arguments[4]);
    measure_period(arguments[2]);
    measure_silence(arguments[2], "4.7 s of silence, 40 ms", 40, 3, 0);
    measure_silence(arguments[2], "  in real time", 40, 3, 1);
    measure_silence(arguments[2], "  in periods of 250 ms", 250, 2, 0);
    measure_copy();
}
