#include "CTLSClient.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct soundbox_tls {
    SSL *ssl;
    int socket;
    // errno of the last call on the socket. OpenSSL may overwrite the thread's errno.
    int system_error;
    bool waits_to_write;
};

// MARK: The socket below

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL: when the peer has gone, SIGPIPE would end the process.
static int send_bytes(BIO *bio, const char *bytes, int count) {
    soundbox_tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t sent = send(tls->socket, bytes, (size_t)count, MSG_NOSIGNAL);
    tls->system_error = sent < 0 ? errno : 0;
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return (int)sent;
}

static int receive_bytes(BIO *bio, char *bytes, int capacity) {
    soundbox_tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t received = recv(tls->socket, bytes, (size_t)capacity, 0);
    tls->system_error = received < 0 ? errno : 0;
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return (int)received;
}

static long control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static BIO_METHOD *socket_method;

static void make_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "soundbox socket");
    if (method == NULL) return;
    BIO_meth_set_write(method, send_bytes);
    BIO_meth_set_read(method, receive_bytes);
    BIO_meth_set_ctrl(method, control);
    socket_method = method;
}

static BIO *socket_bio(soundbox_tls *tls) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_socket_method);
    BIO *bio = socket_method == NULL ? NULL : BIO_new(socket_method);
    if (bio == NULL) return NULL;
    BIO_set_data(bio, tls);
    BIO_set_init(bio, 1);
    return bio;
}

// MARK: Errors

static void fail(soundbox_tls_error *error, soundbox_tls_failure failure, const char *text) {
    error->failure = failure;
    error->code = 0;
    snprintf(error->text, sizeof error->text, "%s", text == NULL ? "" : text);
}

/// Takes the text from `code`. About files, OpenSSL's last error says most; about connections, its first.
static void fail_by_queue(soundbox_tls_error *error, soundbox_tls_failure failure, unsigned long code) {
    const char *text = ERR_reason_error_string(code);
    fail(error, failure, text == NULL && code != 0 ? "an error that OpenSSL has no words for" : text);
    ERR_clear_error();
}

/// By the verdict of the verification (X509_STORE_CTX_get_error(3)). OpenSSL finds a missing authority first, then weak
/// keys and signatures, then another host, then dates.
static soundbox_tls_failure distrust(long verdict) {
    switch (verdict) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return SOUNDBOX_TLS_MISSING_ISSUER;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return SOUNDBOX_TLS_UNKNOWN_AUTHORITY;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return SOUNDBOX_TLS_SELF_SIGNED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return SOUNDBOX_TLS_NOT_YET_VALID;
    case X509_V_ERR_CERT_HAS_EXPIRED: return SOUNDBOX_TLS_EXPIRED;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL: return SOUNDBOX_TLS_WEAK_KEY;
    case X509_V_ERR_CA_MD_TOO_WEAK: return SOUNDBOX_TLS_WEAK_SIGNATURE;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return SOUNDBOX_TLS_OTHER_HOST;
    default: return SOUNDBOX_TLS_UNTRUSTED;
    }
}

/// Writes who issued the last certificate of the chain, as far as it could be built.
static void name_last_issuer(const SSL *ssl, char *text, size_t capacity) {
    const STACK_OF(X509) *chain = SSL_get0_verified_chain(ssl);
    const X509 *last = sk_X509_value(chain, sk_X509_num(chain) - 1);
    BIO *memory = BIO_new(BIO_s_mem());
    text[0] = 0;
    if (last != NULL && memory != NULL &&
        X509_NAME_print_ex(memory, X509_get_issuer_name(last), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        const int size = BIO_read(memory, text, (int)capacity - 1);
        text[size > 0 ? size : 0] = 0;
    }
    BIO_free(memory);
    ERR_clear_error();
}

static void fail_by_verdict(const soundbox_tls *tls, soundbox_tls_error *error) {
    const long verdict = SSL_get_verify_result(tls->ssl);
    fail(error, distrust(verdict), X509_verify_cert_error_string(verdict));
    if (error->failure == SOUNDBOX_TLS_MISSING_ISSUER || error->failure == SOUNDBOX_TLS_UNKNOWN_AUTHORITY) {
        name_last_issuer(tls->ssl, error->text, sizeof error->text);
    }
}

static bool is_hang_up(int code) { return code == 0 || code == ECONNRESET || code == EPIPE; }

static void fail_by_protocol(const soundbox_tls *tls, soundbox_tls_error *error) {
    const unsigned long code = ERR_peek_error();
    // OpenSSL 3.5 queues the system's error; 3.0 reports it separately.
    if (ERR_SYSTEM_ERROR(code)) {
        const int system_error = ERR_GET_REASON(code);
        fail_by_queue(error, is_hang_up(system_error) ? SOUNDBOX_TLS_CLOSED : SOUNDBOX_TLS_SYSTEM, code);
        error->code = system_error;
        return;
    }
    switch (ERR_GET_REASON(code)) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return fail_by_queue(error, SOUNDBOX_TLS_CLOSED, code);
    case SSL_R_WRONG_VERSION_NUMBER: return fail_by_queue(error, SOUNDBOX_TLS_NOT_TLS, code);
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
        return fail_by_queue(error, SOUNDBOX_TLS_WANTS_CERTIFICATE, code);
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL: return fail_by_queue(error, SOUNDBOX_TLS_OLD_VERSION, code);
    case SSL_R_CERTIFICATE_VERIFY_FAILED: ERR_clear_error(); return fail_by_verdict(tls, error);
    default: fail_by_queue(error, SOUNDBOX_TLS_OTHER, code);
    }
}

/// The result of a call that moved nothing: 0 to try again, or -1.
static int outcome(soundbox_tls *tls, int result, soundbox_tls_error *error) {
    tls->waits_to_write = false;
    switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ: return 0;
    case SSL_ERROR_WANT_WRITE: tls->waits_to_write = true; return 0;
    case SSL_ERROR_ZERO_RETURN: fail(error, SOUNDBOX_TLS_CLOSED, NULL); return -1;
    case SSL_ERROR_SYSCALL:
        if (is_hang_up(tls->system_error)) {
            fail(error, SOUNDBOX_TLS_CLOSED, NULL);
        } else {
            fail(error, SOUNDBOX_TLS_SYSTEM, NULL);
            error->code = tls->system_error;
        }
        ERR_clear_error();
        return -1;
    default: fail_by_protocol(tls, error); return -1;
    }
}

// MARK: Making a connection

static int no_passphrase(char *buffer, int size, int is_writing, void *is_wanted) {
    (void)buffer, (void)size, (void)is_writing;
    *(bool *)is_wanted = true;
    return -1;
}

/// About the box's own certificate.
static void fail_by_weakness(soundbox_tls_error *error, unsigned long code) {
    fail_by_queue(error, SOUNDBOX_TLS_BAD_CERTIFICATE, code);
    switch (ERR_GET_REASON(code)) {
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
        return fail(error, SOUNDBOX_TLS_BAD_CERTIFICATE, "its key is too short; RSA needs 2048 bits");
    case SSL_R_CA_MD_TOO_WEAK:
        return fail(
            error, SOUNDBOX_TLS_BAD_CERTIFICATE,
            "it is signed with an outdated hash such as SHA-1; SHA-256 is needed");
    }
}

static bool configure(
    SSL_CTX *context, const char *authorities, const char *certificate, const char *key, soundbox_tls_error *error
) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    bool wants_passphrase = false;
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    SSL_CTX_set_default_passwd_cb_userdata(context, &wants_passphrase);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(
        context,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // A call returns after each record, so that a flood of empty records cannot hold the caller.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_OTHER, ERR_peek_error());
        return false;
    }
    const int found = authorities == NULL ? SSL_CTX_load_verify_dir(context, "/etc/ssl/certs")
                                          : SSL_CTX_load_verify_file(context, authorities);
    if (found != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_BAD_AUTHORITIES, ERR_peek_last_error());
        return false;
    }
    if (certificate != NULL && SSL_CTX_use_certificate_chain_file(context, certificate) != 1) {
        fail_by_weakness(error, ERR_peek_last_error());
        return false;
    }
    // This also finds a key that does not belong to the certificate.
    if (key != NULL && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_BAD_KEY, ERR_peek_last_error());
        if (wants_passphrase) {
            fail(
                error, SOUNDBOX_TLS_BAD_KEY,
                "it has a passphrase, which the box cannot type; write it without one: openssl pkey -in OLD -out NEW");
        }
        return false;
    }
    return true;
}

/// Sets the host to verify and, for a name, to ask for. An address is no server name (RFC 6066, section 3).
static bool name_host(SSL *ssl, const char *host) {
    X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return true;
    ERR_clear_error();
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

soundbox_tls *soundbox_tls_new(
    int socket, const char *host, const char *authorities, const char *certificate, const char *key,
    soundbox_tls_error *error
) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    soundbox_tls *tls = calloc(1, sizeof *tls);
    if (context == NULL || tls == NULL) {
        fail(error, SOUNDBOX_TLS_OTHER, "no memory");
    } else if (configure(context, authorities, certificate, key, error)) {
        tls->socket = socket;
        tls->ssl = SSL_new(context);
        BIO *bio = tls->ssl == NULL ? NULL : socket_bio(tls);
        if (bio != NULL) SSL_set_bio(tls->ssl, bio, bio);
        if (bio != NULL && name_host(tls->ssl, host)) {
            SSL_set_connect_state(tls->ssl);
            SSL_CTX_free(context);
            return tls;
        }
        fail_by_queue(error, SOUNDBOX_TLS_OTHER, ERR_peek_error());
    }
    SSL_CTX_free(context);
    soundbox_tls_free(tls);
    return NULL;
}

void soundbox_tls_free(soundbox_tls *tls) {
    if (tls == NULL) return;
    SSL_free(tls->ssl);
    free(tls);
}

// MARK: Using it

int soundbox_tls_shake_hands(soundbox_tls *tls, soundbox_tls_error *error) {
    ERR_clear_error();
    const int result = SSL_do_handshake(tls->ssl);
    return result == 1 ? 1 : outcome(tls, result, error);
}

bool soundbox_tls_waits_to_write(const soundbox_tls *tls) { return tls->waits_to_write; }

long soundbox_tls_read(soundbox_tls *tls, void *bytes, size_t capacity, soundbox_tls_error *error) {
    size_t count = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(tls->ssl, bytes, capacity, &count);
    return result == 1 ? (long)count : outcome(tls, result, error);
}

long soundbox_tls_write(soundbox_tls *tls, const void *bytes, size_t count, soundbox_tls_error *error) {
    size_t sent = 0;
    ERR_clear_error();
    const int result = SSL_write_ex(tls->ssl, bytes, count, &sent);
    if (result == 1) return (long)sent;
    const int moved = outcome(tls, result, error);
    // The flag is about reading. The caller waits for room by itself while it has bytes left.
    tls->waits_to_write = false;
    return moved;
}

void soundbox_tls_finish(soundbox_tls *tls) {
    ERR_clear_error();
    if (SSL_is_init_finished(tls->ssl)) SSL_shutdown(tls->ssl);
    ERR_clear_error();
}

bool soundbox_tls_peer_pin(const soundbox_tls *tls, char pin[SOUNDBOX_PIN_CAPACITY]) {
    X509 *certificate = SSL_get0_peer_certificate(tls->ssl);
    if (certificate == NULL) return false;
    unsigned char *key = NULL;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
    if (size <= 0) return false;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    const bool isDigested = EVP_Digest(key, (size_t)size, digest, &length, EVP_sha256(), NULL) == 1;
    OPENSSL_free(key);
    if (!isDigested) return false;
    return EVP_EncodeBlock((unsigned char *)pin, digest, (int)length) == SOUNDBOX_PIN_CAPACITY - 1;
}
