#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// The SHA256_ functions are deprecated since 3.0 in favour of EVP, which spends more on finding the
// algorithm than they do on hashing a header; see copenssl_sha256.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

/// SHA-256 of three pieces one after the other, on the stack: it cannot fail.
static inline void copenssl_sha256(
    const void *first, size_t firstCount, const void *second, size_t secondCount, const void *third,
    size_t thirdCount, unsigned char *digest) {
    SHA256_CTX context;
    SHA256_Init(&context);
    if (firstCount) SHA256_Update(&context, first, firstCount);
    if (secondCount) SHA256_Update(&context, second, secondCount);
    if (thirdCount) SHA256_Update(&context, third, thirdCount);
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
