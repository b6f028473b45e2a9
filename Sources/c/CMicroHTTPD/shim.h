// libmicrohttpd for Swift, with functions in place of its variadic ones.
#pragma once
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

// The Swift names of enumeration constants depend on attributes that not every version of the header has.

static inline enum MHD_Result soundbox_http_result(bool is_well) { return is_well ? MHD_YES : MHD_NO; }

static inline bool soundbox_http_is_start(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// Called with the unmodified target of a request; the result is the context of that request.
typedef void *(*soundbox_http_begin)(void *context, const char *target, struct MHD_Connection *connection);

/// Whether the parts of a request's head stay where they were read, so that their addresses tell what stood between
/// them: before 1.0, as in Debian 12.
static inline bool soundbox_http_keeps_lines(void) { return MHD_get_version()[0] == '0'; }

/// A daemon without a socket and without a thread: the caller adds connections and runs it.
///
/// It logs nothing, because its logger writes to stderr, and adds no Date header.
///
/// - idle_seconds: closes a connection without data from the client for this time.
/// - memory: bytes per connection, for headers and buffers.
/// - certificate, key: for HTTPS, in PEM; NULL for plain HTTP.
/// - context: passed to each function.
///
/// Returns NULL if there is no memory or no descriptor left, or if certificate and key cannot be used.
static inline struct MHD_Daemon *soundbox_http_start(
    unsigned int idle_seconds, size_t memory, const char *certificate, const char *key, void *context,
    soundbox_http_begin begin, MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback end,
    MHD_NotifyConnectionCallback connection
) {
    struct MHD_OptionItem identity[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        // The library's default without TLS 1.0 and 1.1 (RFC 8996).
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned int flags =
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK;
    if (certificate == NULL) identity[0].option = MHD_OPTION_END;
    else flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handle, context, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        // From 1.0 on it then refuses lines that end with a bare LF or CR, and NUL. Before, it would only close the
        // connection without an answer where a target has a space.
        MHD_OPTION_STRICT_FOR_CLIENT, soundbox_http_keeps_lines() ? 0 : 1, MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context, MHD_OPTION_NOTIFY_CONNECTION, connection, context, MHD_OPTION_ARRAY,
        identity, MHD_OPTION_END);
}

/// A descriptor that is readable when the daemon must run.
static inline int soundbox_http_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

/// Milliseconds until the daemon must run even if its descriptor is not readable; -1 for no limit.
static inline long long soundbox_http_timeout(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    return MHD_get_timeout(daemon, &timeout) == MHD_YES ? (long long)timeout : -1;
}

/// The socket of a connection.
static inline int soundbox_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// The context that the connection callback has set.
static inline void *soundbox_http_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// The bytes of a request's head, from its first line to the empty one. 0 if the library does not say.
static inline size_t soundbox_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// Called with each header of a request.
typedef enum MHD_Result (*soundbox_http_header)(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value);

/// Calls `tell` with the headers of a request, in order.
static inline void soundbox_http_headers(struct MHD_Connection *connection, void *context, soundbox_http_header tell) {
    MHD_get_connection_values(connection, MHD_HEADER_KIND, tell, context);
}

/// The next connection of a listening socket, as a non-blocking socket that is closed in child programs.
/// Returns -1 with errno set.
static inline int soundbox_http_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// The poll(2) event that the peer has closed its side: POLLRDHUP, an extension of Linux.
static inline short soundbox_http_no_more(void) { return 0x2000; }

/// Adds a connection to the daemon, which then owns the descriptor.
static inline bool soundbox_http_add(struct MHD_Daemon *daemon, int descriptor) {
    // The daemon uses the address only to count connections per address, which is not enabled.
    const struct sockaddr unnamed = {.sa_family = AF_UNIX};
    return MHD_add_connection(daemon, descriptor, &unnamed, sizeof unnamed.sa_family) == MHD_YES;
}

/// The result of a content reader at the end of an answer, complete or cut off.
static inline ssize_t soundbox_http_end(bool is_whole) {
    return is_whole ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

/// A body, which is copied. Returns NULL if there is no memory left.
static inline struct MHD_Response *soundbox_http_body(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// A body of unknown length, which `read` returns in pieces. `forget` is called once with `context` after the last
/// read. Returns NULL if there is no memory left; then `forget` is not called.
static inline struct MHD_Response *soundbox_http_pieces(
    MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback forget
) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read, context, forget);
}

/// Queues an answer, and returns whether that succeeded. Copies the headers, and takes over the body.
///
/// - headers: names and values alternating, and NULL at the end.
static inline bool soundbox_http_answer(
    struct MHD_Connection *connection, unsigned int status, const char *const *headers, struct MHD_Response *response
) {
    bool is_taken = true;
    for (; is_taken && headers[0] != NULL; headers += 2)
        is_taken = MHD_add_response_header(response, headers[0], headers[1]) == MHD_YES;
    is_taken = is_taken && MHD_queue_response(connection, status, response) == MHD_YES;
    MHD_destroy_response(response);
    return is_taken;
}
