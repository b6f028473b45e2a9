#include "CCurl.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <curl/curl.h>
#include <pthread.h>

/// Of all lines of the heads of one exchange, interim answers and trailers included.
enum { MOST_HEAD_BYTES = 64 << 10 };

/// Why a callback has ended the exchange.
enum end {
    END_NONE,
    /// Nothing but the head was wanted.
    END_HEAD,
    END_TOO_LARGE,
    END_LONG_HEAD,
    END_ENCODED,
    END_NO_MEMORY,
    END_ASTRAY,
};

/// An address without its port.
struct address {
    int family;
    unsigned char bytes[sizeof(struct in6_addr)];
};

struct soundbox_http {
    CURL *easy;
    CURLM *multi;
    struct curl_slist *headers, *route;
    atomic_bool is_cancelled;
    char reason[CURL_ERROR_SIZE];

    size_t most_bytes;
    bool reads_success_only;
    /// AF_UNSPEC where any will do.
    struct address address;
    bool is_local;

    enum end end;
    /// TLS included: nothing but the question and its answer can take time any more.
    bool is_connected;
    size_t head_bytes;
    bool head_is_over;
    long status;
    /// What the head says; -1 when it says nothing.
    long long announced;
    char *location;
    unsigned char *body;
    size_t body_size, body_capacity;
};

static void fail(soundbox_http_error *error, soundbox_http_failure failure, int code, const char *text) {
    error->failure = failure;
    error->code = code;
    snprintf(error->text, sizeof error->text, "%s", text == NULL ? "" : text);
    // Some of it is what the other side said.
    for (char *byte = error->text; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < ' ' || *byte == 0x7F) *byte = ' ';
    }
}

// MARK: Where the connection goes

static bool parse_address(const char *text, struct address *address) {
    memset(address, 0, sizeof *address);
    address->family = AF_INET;
    if (inet_pton(AF_INET, text, address->bytes) == 1) return true;
    address->family = AF_INET6;
    return inet_pton(AF_INET6, text, address->bytes) == 1;
}

static bool is_same_address(const struct address *first, const struct address *second) {
    return first->family == second->family && memcmp(first->bytes, second->bytes, sizeof first->bytes) == 0;
}

/// Makes the socket, for the wanted address only. libcurl's own would be inherited by processes that are started meanwhile.
static curl_socket_t open_socket(void *argument, curlsocktype purpose, struct curl_sockaddr *target) {
    soundbox_http *http = argument;
    struct address address = {.family = target->family};
    bool is_wanted = purpose == CURLSOCKTYPE_IPCXN;
    if (http->is_local) {
        is_wanted = is_wanted && target->family == AF_UNIX;
    } else if (http->address.family != AF_UNSPEC) {
        if (target->family == AF_INET) {
            memcpy(address.bytes, &((struct sockaddr_in *)&target->addr)->sin_addr, sizeof(struct in_addr));
        } else if (target->family == AF_INET6) {
            memcpy(address.bytes, &((struct sockaddr_in6 *)&target->addr)->sin6_addr, sizeof(struct in6_addr));
        }
        is_wanted = is_wanted && is_same_address(&address, &http->address);
    }
    if (!is_wanted) {
        http->end = END_ASTRAY;
        return CURL_SOCKET_BAD;
    }
    return socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

/// Believed last: where the connection has really gone. Comes before anything of the question is sent.
static int check_connection(void *argument, char *other_end, char *this_end, int other_port, int this_port) {
    (void)this_end, (void)other_port, (void)this_port;
    soundbox_http *http = argument;
    http->is_connected = true;
    if (http->address.family == AF_UNSPEC) return CURL_PREREQFUNC_OK;
    struct address address;
    if (other_end != NULL && parse_address(other_end, &address) && is_same_address(&address, &http->address)) {
        return CURL_PREREQFUNC_OK;
    }
    http->end = END_ASTRAY;
    return CURL_PREREQFUNC_ABORT;
}

// MARK: What comes

/// Returns the value of a line of the head when it has this name, without blanks around it; NULL otherwise.
static const char *value_of(const char *line, size_t size, const char *name, size_t *value_size) {
    const size_t name_size = strlen(name);
    if (size <= name_size || line[name_size] != ':' || strncasecmp(line, name, name_size) != 0) return NULL;
    const char *start = line + name_size + 1, *end = line + size;
    while (start < end && isspace((unsigned char)*start)) start++;
    while (end > start && isspace((unsigned char)end[-1])) end--;
    *value_size = (size_t)(end - start);
    return start;
}

/// A number that is none counts as the largest: nobody reads a body whose length is a riddle.
static long long parse_length(const char *text, size_t size) {
    long long length = 0;
    if (size == 0 || size > 15) return LLONG_MAX;
    for (size_t index = 0; index < size; index++) {
        if (text[index] < '0' || text[index] > '9') return LLONG_MAX;
        length = 10 * length + (text[index] - '0');
    }
    return length;
}

static void read_line_of_head(soundbox_http *http, const char *line, size_t size) {
    size_t value_size = 0;
    const char *value;
    if (size >= 5 && memcmp(line, "HTTP/", 5) == 0) {
        // An answer begins, or a further one after an interim one.
        http->announced = -1;
        free(http->location);
        http->location = NULL;
    } else if ((value = value_of(line, size, "content-length", &value_size)) != NULL) {
        const long long length = parse_length(value, value_size);
        if (length > http->announced) http->announced = length;
    } else if (http->location == NULL && (value = value_of(line, size, "location", &value_size)) != NULL) {
        http->location = strndup(value, value_size);
        if (http->location == NULL) http->end = END_NO_MEMORY;
    } else if ((value = value_of(line, size, "transfer-encoding", &value_size)) != NULL) {
        // libcurl would decompress what it was not asked to.
        if (value_size != 7 || strncasecmp(value, "chunked", 7) != 0) http->end = END_ENCODED;
    }
}

static void end_head(soundbox_http *http) {
    curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &http->status);
    if (http->status < 200 && http->status != 101) return;
    http->head_is_over = true;
    if (http->status != 200 && http->reads_success_only) {
        http->end = END_HEAD;
    } else if (http->announced > 0 && (unsigned long long)http->announced > http->most_bytes) {
        http->end = END_TOO_LARGE;
    }
}

static size_t take_head(char *line, size_t unit, size_t count, void *argument) {
    soundbox_http *http = argument;
    const size_t size = unit * count;
    http->head_bytes += size;
    if (http->head_bytes > MOST_HEAD_BYTES) {
        http->end = END_LONG_HEAD;
    } else if (!http->head_is_over) {
        // What follows the body is a trailer, and only counted.
        const bool is_empty = size == 0 || line[0] == '\r' || line[0] == '\n';
        if (is_empty) end_head(http); else read_line_of_head(http, line, size);
    }
    // Another number than that of the bytes ends the exchange, and none of these lines is empty.
    return http->end == END_NONE ? size : 0;
}

static size_t take_body(char *bytes, size_t unit, size_t count, void *argument) {
    soundbox_http *http = argument;
    const size_t size = unit * count;
    if (size > http->most_bytes - http->body_size) {
        http->end = END_TOO_LARGE;
        return 0;
    }
    const size_t needed = http->body_size + size;
    if (needed > http->body_capacity) {
        size_t capacity = http->announced > 0 ? (size_t)http->announced : 2 * http->body_capacity;
        if (capacity < needed) capacity = needed;
        if (capacity > http->most_bytes) capacity = http->most_bytes;
        unsigned char *larger = realloc(http->body, capacity);
        if (larger == NULL) {
            http->end = END_NO_MEMORY;
            return 0;
        }
        http->body = larger;
        http->body_capacity = capacity;
    }
    memcpy(http->body + http->body_size, bytes, size);
    http->body_size = needed;
    return size;
}

// MARK: Asking

/// Sets one option after the other. Every one counts: a library that does not know one of them is of no use.
static CURLcode set_options(soundbox_http *http, const soundbox_http_request *request) {
    CURLcode code = CURLE_OK;
#define SET(option, value) \
    if (code == CURLE_OK) code = curl_easy_setopt(http->easy, option, value)
    SET(CURLOPT_ERRORBUFFER, http->reason);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_URL, request->url);
    // The URL is the one that was checked: nothing in it is tidied up, guessed or believed.
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_HTTP09_ALLOWED, 0L);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_ACCEPT_ENCODING, NULL);
    SET(CURLOPT_HTTP_CONTENT_DECODING, 0L);
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_HTTPHEADER, http->headers);
    if (request->body != NULL) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
        SET(CURLOPT_COPYPOSTFIELDS, request->body);
    }
    SET(CURLOPT_CUSTOMREQUEST, request->method);

    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSL_OPTIONS, (long)CURLSSLOPT_NO_PARTIALCHAIN);
    // Never the one beside the other. A folder is asked for one certificate; the file of all would be read for each clip.
    SET(CURLOPT_CAINFO, request->authorities);
    SET(CURLOPT_CAPATH, request->authorities == NULL ? "/etc/ssl/certs" : NULL);

    if (request->unix_socket != NULL) SET(CURLOPT_UNIX_SOCKET_PATH, request->unix_socket);
    if (http->route != NULL) SET(CURLOPT_CONNECT_TO, http->route);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, http);
    SET(CURLOPT_PREREQFUNCTION, check_connection);
    SET(CURLOPT_PREREQDATA, http);
    SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_milliseconds);
    SET(CURLOPT_TIMEOUT_MS, request->milliseconds);

    SET(CURLOPT_HEADERFUNCTION, take_head);
    SET(CURLOPT_HEADERDATA, http);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, http);
#undef SET
    return code;
}

static bool append(struct curl_slist **list, const char *text) {
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer == NULL) return false;
    *list = longer;
    return true;
}

static bool prepare(soundbox_http *http, const soundbox_http_request *request, soundbox_http_error *error) {
    bool has_memory = http->easy != NULL && http->multi != NULL;
    for (size_t index = 0; has_memory && request->headers[index] != NULL; index++) {
        has_memory = append(&http->headers, request->headers[index]);
    }
    if (request->address != NULL) {
        if (!parse_address(request->address, &http->address)) {
            fail(error, SOUNDBOX_HTTP_NOT_REACHED, EINVAL, "the address is none");
            return false;
        }
        // For any host and any port: to this address, at the same port (CURLOPT_CONNECT_TO(3)).
        char route[INET6_ADDRSTRLEN + 8];
        snprintf(route, sizeof route, http->address.family == AF_INET6 ? "::[%s]:" : "::%s:", request->address);
        has_memory = has_memory && append(&http->route, route);
    }
    if (!has_memory) {
        fail(error, SOUNDBOX_HTTP_NOT_REACHED, ENOMEM, "no memory");
        return false;
    }
    const CURLcode code = set_options(http, request);
    if (code != CURLE_OK) {
        fail(error, SOUNDBOX_HTTP_NOT_REACHED, 0, curl_easy_strerror(code));
        return false;
    }
    return true;
}

static CURLcode global;
static void initialise(void) { global = curl_global_init(CURL_GLOBAL_DEFAULT); }

soundbox_http *soundbox_http_new(const soundbox_http_request *request, soundbox_http_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    if (global != CURLE_OK) {
        fail(error, SOUNDBOX_HTTP_NOT_REACHED, 0, curl_easy_strerror(global));
        return NULL;
    }
    soundbox_http *http = calloc(1, sizeof *http);
    if (http == NULL) {
        fail(error, SOUNDBOX_HTTP_NOT_REACHED, ENOMEM, "no memory");
        return NULL;
    }
    http->easy = curl_easy_init();
    http->multi = curl_multi_init();
    http->most_bytes = request->most_bytes;
    http->reads_success_only = request->reads_success_only;
    http->is_local = request->unix_socket != NULL;
    http->announced = -1;
    if (prepare(http, request, error)) return http;
    soundbox_http_free(http);
    return NULL;
}

void soundbox_http_free(soundbox_http *http) {
    if (http == NULL) return;
    if (http->easy != NULL) curl_easy_cleanup(http->easy);
    if (http->multi != NULL) curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    curl_slist_free_all(http->route);
    free(http->location);
    free(http->body);
    free(http);
}

void soundbox_http_cancel(soundbox_http *http) {
    atomic_store(&http->is_cancelled, true);
    curl_multi_wakeup(http->multi);
}

/// Returns the exchange's result. What the loop around it fails with stands in `reason`.
static CURLcode perform(soundbox_http *http) {
    CURLMcode code = curl_multi_add_handle(http->multi, http->easy);
    int running = 1;
    while (code == CURLM_OK && !atomic_load(&http->is_cancelled)) {
        code = curl_multi_perform(http->multi, &running);
        if (code != CURLM_OK || running == 0) break;
        // Returns earlier by itself: for the sockets, for a time limit of libcurl's own, and when it is cancelled.
        code = curl_multi_poll(http->multi, NULL, 0, 1000, NULL);
    }
    CURLcode result = CURLE_ABORTED_BY_CALLBACK;
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(http->multi, &left);
    if (message != NULL && message->msg == CURLMSG_DONE) result = message->data.result;
    curl_multi_remove_handle(http->multi, http->easy);
    if (code != CURLM_OK) snprintf(http->reason, sizeof http->reason, "%s", curl_multi_strerror(code));
    return result;
}

/// What the system says about a connection that was not made; libcurl says only that it was not.
static int system_error(const soundbox_http *http, CURLcode code) {
    long error = 0;
    if (code == CURLE_COULDNT_CONNECT) curl_easy_getinfo(http->easy, CURLINFO_OS_ERRNO, &error);
    return (int)error;
}

static void explain(const soundbox_http *http, CURLcode code, soundbox_http_error *error) {
    const soundbox_http_failure usual = http->head_is_over ? SOUNDBOX_HTTP_CUT_OFF : SOUNDBOX_HTTP_NOT_REACHED;
    const int number = system_error(http, code);
    char text[200];
    switch (http->end) {
    case END_TOO_LARGE: return fail(error, SOUNDBOX_HTTP_TOO_LARGE, 0, "the answer is too large");
    case END_LONG_HEAD:
        snprintf(text, sizeof text, "the head of its answer is larger than %d bytes", MOST_HEAD_BYTES);
        return fail(error, usual, 0, text);
    case END_ENCODED: return fail(error, usual, 0, "it answers in an encoding that was not asked for");
    case END_NO_MEMORY: return fail(error, usual, 0, "no memory");
    case END_ASTRAY: return fail(error, usual, 0, "the connection went astray");
    case END_HEAD:
    case END_NONE: break;
    }
    if (atomic_load(&http->is_cancelled)) {
        fail(error, SOUNDBOX_HTTP_CANCELLED, 0, "nobody waits for it any more");
    } else if (code == CURLE_OPERATION_TIMEDOUT && http->is_connected) {
        fail(error, SOUNDBOX_HTTP_TIMED_OUT, 0, http->reason);
    } else if (number != 0 && strerror_r(number, text, sizeof text) == 0) {
        fail(error, usual, number, text);
    } else {
        fail(
            error, usual, 0, http->reason[0] != '\0' ? http->reason : curl_easy_strerror(code));
    }
}

bool soundbox_http_run(soundbox_http *http, soundbox_http_error *error) {
    const CURLcode code = perform(http);
    if (code == CURLE_OK || http->end == END_HEAD) return true;
    explain(http, code, error);
    return false;
}

// MARK: The answer

int soundbox_http_status(const soundbox_http *http) { return (int)http->status; }

const char *soundbox_http_location(const soundbox_http *http) { return http->location; }

const void *soundbox_http_body(const soundbox_http *http, size_t *size) {
    *size = http->body_size;
    return http->body;
}

long long soundbox_http_date(const char *text) { return curl_getdate(text, NULL); }
