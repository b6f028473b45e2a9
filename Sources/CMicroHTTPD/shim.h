// libmicrohttpd, as Swift sees it: what of it is variadic, as functions that Swift can call.
#pragma once
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

// Swift names the constants of enumerations by attributes that not every version of the header has.

static inline enum MHD_Result soundbox_http_result(bool is_well) { return is_well ? MHD_YES : MHD_NO; }

static inline bool soundbox_http_is_start(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/// Called with the target of a request, as it was sent; what it returns belongs to that request.
typedef void *(*soundbox_http_begin)(void *context, const char *target, struct MHD_Connection *connection);

/// A daemon without a socket and without a thread: connections are given to it, and it runs when it is told to.
///
/// It logs nothing; its own logger would write to stderr. It dates no answer.
///
/// - idle_seconds: without a byte from the client, which then is let go.
/// - memory: bytes for all of a connection: its headers, and what is on its way in and out.
/// - certificate, key: for HTTPS, in PEM; NULL for plain HTTP.
/// - context: handed to each function.
///
/// Returns NULL when there is no memory or no descriptor left, and when certificate and key cannot be used.
static inline struct MHD_Daemon *soundbox_http_start(
    unsigned int idle_seconds, size_t memory, const char *certificate, const char *key, void *context,
    soundbox_http_begin begin, MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback end,
    MHD_NotifyConnectionCallback connection
) {
    struct MHD_OptionItem identity[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        // What the library begins with, but for TLS 1.0 and 1.1 (RFC 8996).
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned int flags =
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK;
    if (certificate == NULL) identity[0].option = MHD_OPTION_END;
    else flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handle, context, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context, MHD_OPTION_NOTIFY_CONNECTION, connection, context, MHD_OPTION_ARRAY,
        identity, MHD_OPTION_END);
}

/// Readable when the daemon has something to do.
static inline int soundbox_http_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

/// Milliseconds until the daemon has something to do although its descriptor is not readable; -1 for ever.
static inline long long soundbox_http_timeout(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    return MHD_get_timeout(daemon, &timeout) == MHD_YES ? (long long)timeout : -1;
}

/// The socket of a connection.
static inline int soundbox_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// What the function for connections has left for one of them.
static inline void *soundbox_http_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// Called with each header of a request.
typedef enum MHD_Result (*soundbox_http_header)(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value);

/// Tells the headers of a request, in their order.
static inline void soundbox_http_headers(struct MHD_Connection *connection, void *context, soundbox_http_header tell) {
    MHD_get_connection_values(connection, MHD_HEADER_KIND, tell, context);
}

/// The next connection in the queue of a listening socket. Its socket never blocks and is closed in other programs.
/// Returns -1 with errno set.
static inline int soundbox_http_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// The event of poll(2) that the other side sends nothing any more: POLLRDHUP, which is an extension of Linux.
static inline short soundbox_http_no_more(void) { return 0x2000; }

/// Gives the daemon a connection, which it will close.
static inline bool soundbox_http_add(struct MHD_Daemon *daemon, int descriptor) {
    // It looks at the address only to count connections by address, which it is not asked to do.
    const struct sockaddr unnamed = {.sa_family = AF_UNIX};
    return MHD_add_connection(daemon, descriptor, &unnamed, sizeof unnamed.sa_family) == MHD_YES;
}

/// How a content reader ends an answer: with its last byte, or cut off.
static inline ssize_t soundbox_http_end(bool is_whole) {
    return is_whole ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

/// A body of which everything is copied. Returns NULL when there is no memory left.
static inline struct MHD_Response *soundbox_http_body(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// A body of unknown length, which `read` gives piece by piece. `forget` is called once with `context`, when nothing is
/// read any more. Returns NULL when there is no memory left, and then forgets nothing.
static inline struct MHD_Response *soundbox_http_pieces(
    MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback forget
) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read, context, forget);
}

/// Whether the answer has been taken over. The headers are copied, and the body belongs to it.
///
/// - headers: names and values by turns, and NULL at the end.
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
