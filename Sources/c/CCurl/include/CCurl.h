// One HTTP/1.1 request and its answer, and dates as in HTTP, by libcurl. Imported only by SoundboxSystem.
//
// Compiled C, because curl_easy_setopt(3) is variadic.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Why there is no answer.
typedef enum {
    SOUNDBOX_HTTP_NO_FAILURE,
    /// No head of an answer was received, also because connecting took too long. `code` is the errno of a failed
    /// connection, or 0.
    SOUNDBOX_HTTP_NOT_REACHED,
    /// The time for the whole exchange is over, after the connection was made.
    SOUNDBOX_HTTP_TIMED_OUT,
    SOUNDBOX_HTTP_CANCELLED,
    /// The body is larger than allowed, by the received bytes or by its head.
    SOUNDBOX_HTTP_TOO_LARGE,
    /// A head was received, but not the whole body.
    SOUNDBOX_HTTP_CUT_OFF,
} soundbox_http_failure;

typedef struct {
    soundbox_http_failure failure;
    int code;
    /// For people.
    char text[300];
} soundbox_http_error;

/// The request. It need not exist after `soundbox_http_new`.
typedef struct {
    /// http:// or https://.
    const char *url;
    const char *method;
    /// `Name: value`, with NULL at the end. `Name:` removes a header that libcurl would send by default.
    const char *const *headers;
    /// NULL for none.
    const void *body;
    size_t body_size;
    /// A Unix socket to connect to, instead of the URL's host; or NULL.
    const char *unix_socket;
    /// The numeric address to connect to, instead of the host's addresses; or NULL. The peer of the connection is
    /// compared with it before the request is sent.
    const char *address;
    /// PEM file of the authorities to trust; NULL trusts /etc/ssl/certs.
    const char *authorities;
    /// The timeouts to connect, TLS included, and for the whole exchange; above 0.
    long connect_milliseconds, milliseconds;
    /// The most bytes of a body.
    size_t most_bytes;
    /// Whether the exchange ends after the head unless the status is 200.
    bool reads_success_only;
} soundbox_http_request;

typedef struct soundbox_http soundbox_http;

/// Prepares an exchange; sends nothing. Any thread. No proxy, no redirect, no cookie, no password file, no
/// decompression; TLS 1.2 at least, verified against the URL's host.
///
/// Returns NULL, with the reason in `error`.
soundbox_http *soundbox_http_new(const soundbox_http_request *request, soundbox_http_error *error);

/// Sends the request once. Blocks until the answer is complete, or a failure is in `error`. Returns whether there is an
/// answer.
bool soundbox_http_run(soundbox_http *http, soundbox_http_error *error);

/// Makes `soundbox_http_run` return soon. Any thread; not after `soundbox_http_free`.
void soundbox_http_cancel(soundbox_http *http);

/// The status of the answer, such as 200.
int soundbox_http_status(const soundbox_http *http);

/// The first Location header of the answer; NULL for none.
const char *soundbox_http_location(const soundbox_http *http);

/// The received bytes of the body; valid until `soundbox_http_free`.
const void *soundbox_http_body(const soundbox_http *http, size_t *size);

void soundbox_http_free(soundbox_http *http);

/// The seconds since 1970 of a date as in HTTP, in mail or in Debian's indexes (curl_getdate(3)); -1 for anything else.
long long soundbox_http_date(const char *text);
