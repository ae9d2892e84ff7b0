#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

/// OpenSSL 3 deprecates its direct SHA-256 in favour of EVP, whose way through a provider costs as
/// much again as hashing a header does; the functions stay for the whole of version 3.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

/// SHA-256 over two pieces, the context on the stack.
static inline void copenssl_sha256(const void *first, size_t firstCount, const void *second, size_t secondCount,
                                   unsigned char *digest) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, first, firstCount);
    SHA256_Update(&context, second, secondCount);
    SHA256_Final(digest, &context);
}

/// Macros that Swift does not import.
static inline int copenssl_gcm_set_tag(EVP_CIPHER_CTX *context, int count, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, count, tag);
}
static inline int copenssl_gcm_get_tag(EVP_CIPHER_CTX *context, int count, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, count, tag);
}

#endif
