/* The DLPack protocol's memory layout (version 1.x), as https://dmlc.github.io/dlpack describes it. */
#ifndef STRIDECORE_DLPACK_H
#define STRIDECORE_DLPACK_H

#include <stdint.h>

enum {
    DLPACK_MAJOR = 1,
    DLPACK_MINOR = 1, /* the first with codes for the float8 types */
    DLPACK_CPU = 1,
    DLPACK_READ_ONLY = 1, /* flags */
    DLPACK_COPIED = 2
};

typedef struct dlpack_dtype {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} dlpack_dtype;

typedef struct dlpack_device {
    int32_t device_type;
    int32_t device_id;
} dlpack_device;

typedef struct dlpack_tensor {
    void *data;
    dlpack_device device;
    int32_t ndim;
    dlpack_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL (before 1.2) for row-major */
    uint64_t byte_offset;
} dlpack_tensor;

/* Before version 1, in capsules called "dltensor". */
typedef struct dlpack_legacy {
    dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_legacy *self);
} dlpack_legacy;

/* From version 1 on, in capsules called "dltensor_versioned". Up to and with flags the layout never changes. */
typedef struct dlpack_version {
    uint32_t major;
    uint32_t minor;
} dlpack_version;

typedef struct dlpack_versioned {
    dlpack_version version;
    void *context;
    void (*deleter)(struct dlpack_versioned *self);
    uint64_t flags;
    dlpack_tensor tensor;
} dlpack_versioned;

#endif
