#ifndef COPENSSL_TLS_H
#define COPENSSL_TLS_H

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/// Macros that Swift does not import.
static inline int copenssl_set_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version) == 1
        && SSL_CTX_set_max_proto_version(context, version) == 1;
}
static inline int copenssl_set_groups(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}
static inline int copenssl_set_signatures(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_sigalgs_list(context, list);
}
static inline void copenssl_forbid_resumption(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
}
static inline void copenssl_set_certificates_max(SSL_CTX *context, long bytes) {
    SSL_CTX_set_max_cert_list(context, bytes);
}
static inline void copenssl_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        | SSL_MODE_RELEASE_BUFFERS);
}
static inline void copenssl_bio_clear(BIO *bio) {
    (void)BIO_reset(bio);
}

#endif
