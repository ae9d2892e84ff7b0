#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/// The init functions are macros that add the version and the structure's size.
/// Negative window bits: a bare deflate stream without header and checksum (RFC 1951).
static inline int czlib_deflate_init(z_stream *stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, memory_level, Z_DEFAULT_STRATEGY);
}
static inline int czlib_inflate_init(z_stream *stream) { return inflateInit2(stream, -15); }

#endif
