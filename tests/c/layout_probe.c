/* The inline functions of layout.h as a shared library, for the comparison with torch. */
#include "layout.h"

bool probe_is_contiguous(int64_t n, const int64_t *s, const int64_t *t) { return sc_is_contiguous(n, s, t); }
bool probe_is_channels_last(int64_t n, const int64_t *s, const int64_t *t) { return sc_is_channels_last(n, s, t); }
bool probe_is_dense(int64_t n, const int64_t *s, const int64_t *t) { return sc_is_non_overlapping_and_dense(n, s, t); }
bool probe_channels_last_strides(int64_t n, const int64_t *s, int64_t *t) { return sc_channels_last_strides(n, s, t); }
bool probe_preserve(int64_t n, const int64_t *s, const int64_t *t, int64_t *f) { return sc_preserve_strides(n, s, t, f); }
bool probe_view(int64_t n, const int64_t *s, const int64_t *t, int64_t m, const int64_t *u, int64_t *v) {
    sc_view_conflict conflict;
    return sc_view_strides(n, s, t, m, u, v, &conflict);
}
