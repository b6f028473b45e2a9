// One question by HTTP/1.1 and its answer, by libcurl. Its one importer is SoundboxSystem.
//
// It is compiled C, since curl_easy_setopt(3) is variadic.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Why there is no answer.
typedef enum {
    SOUNDBOX_HTTP_NO_FAILURE,
    /// The head of an answer has not come; also when connecting took its time. `code` is the errno of a connection that was
    /// not made, or 0.
    SOUNDBOX_HTTP_NOT_REACHED,
    /// The time for the whole is over, and the connection was made.
    SOUNDBOX_HTTP_TIMED_OUT,
    SOUNDBOX_HTTP_CANCELLED,
    /// The body is larger than was allowed, by what has come of it or by what its head says.
    SOUNDBOX_HTTP_TOO_LARGE,
    /// A head has come, and no end of its body.
    SOUNDBOX_HTTP_CUT_OFF,
} soundbox_http_failure;

typedef struct {
    soundbox_http_failure failure;
    int code;
    /// For people.
    char text[300];
} soundbox_http_error;

/// What is asked. Nothing of it is needed after `soundbox_http_new`.
typedef struct {
    /// http:// or https://.
    const char *url;
    const char *method;
    /// As `Name: value`, NULL at the end. `Name:` leaves out one that libcurl would send by itself.
    const char *const *headers;
    /// NULL for none.
    const void *body;
    size_t body_size;
    /// The socket in the file system that is asked, whatever the URL says; or NULL.
    const char *unix_socket;
    /// The numeric address that is asked, whatever the URL's host has for addresses; or NULL. The connection's other end is
    /// compared with it once more before the question is sent.
    const char *address;
    /// PEM file of the authorities to trust; NULL trusts /etc/ssl/certs.
    const char *authorities;
    /// The most that connecting may take, TLS included, and the whole; above 0.
    long connect_milliseconds, milliseconds;
    /// The most bytes of a body.
    size_t most_bytes;
    /// Whether the exchange ends with the head of any answer but 200.
    bool reads_success_only;
} soundbox_http_request;

typedef struct soundbox_http soundbox_http;

/// Prepares an exchange; sends nothing. Any thread. No proxy, no redirect, no
/// cookie, no password file, no decompression; TLS 1.2 at least, verified against the URL's host.
///
/// Returns NULL, with the reason in `error`.
soundbox_http *soundbox_http_new(const soundbox_http_request *request, soundbox_http_error *error);

/// Asks, once. Blocks until the answer is there or the reason in `error`. Returns whether the answer is there.
bool soundbox_http_run(soundbox_http *http, soundbox_http_error *error);

/// Has `soundbox_http_run` return soon. Any thread, for as long as nobody calls `soundbox_http_free`.
void soundbox_http_cancel(soundbox_http *http);

/// The answer's status: 200.
int soundbox_http_status(const soundbox_http *http);

/// The first Location of the answer's head; NULL without one.
const char *soundbox_http_location(const soundbox_http *http);

/// The bytes of the body so far; they stay until `soundbox_http_free`.
const void *soundbox_http_body(const soundbox_http *http, size_t *size);

void soundbox_http_free(soundbox_http *http);
