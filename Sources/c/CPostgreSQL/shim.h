// libpq for Swift.
#pragma once
#include <libpq-fe.h>

static inline void soundbox_postgresql_ignore(void *context, const char *notice) {
    (void)context;
    (void)notice;
}

/// Notices of the server are not written to stderr, as libpq does unless told otherwise.
static inline void soundbox_postgresql_silence(PGconn *connection) {
    PQsetNoticeProcessor(connection, soundbox_postgresql_ignore, NULL);
}

// The Swift names of enumeration constants depend on attributes that not every version of the header has.

static inline int soundbox_postgresql_is_open(const PGconn *connection) {
    return PQstatus(connection) == CONNECTION_OK;
}

/// Whether a statement has ended well, with rows or without.
static inline int soundbox_postgresql_is_well(const PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/// Whether a server takes connections there: if not, waiting may help.
static inline int soundbox_postgresql_answers(const char *const *keywords, const char *const *values) {
    return PQpingParams(keywords, values, 0) == PQPING_OK;
}

/// The five letters of SQLSTATE; NULL if the server has not said any.
static inline const char *soundbox_postgresql_state(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/// The server's own message, without the statement; NULL if the server has not said any.
static inline const char *soundbox_postgresql_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}
