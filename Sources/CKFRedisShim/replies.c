#ifdef KF_REDIS
#include "CKFRedisShim.h"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Until 0.14 the number of elements was an int.
#if HIREDIS_MAJOR >= 1
typedef size_t element_count;
#else
typedef int element_count;
#endif

static const element_count maximal_elements = 65536;
static redisReplyObjectFunctions functions;
static void *(*create_any_list)(const redisReadTask *, element_count);

static void *create_list(const redisReadTask *task, element_count count) {
    // The count is untrusted, and memory for all elements is reserved at once.
    if (count > maximal_elements) return NULL;
    return create_any_list(task, count);
}

static void prepare(void) {
    redisReader *reader = redisReaderCreate();
    if (reader == NULL) return;
    functions = *reader->fn;
    create_any_list = functions.createArray;
    functions.createArray = create_list;
    redisReaderFree(reader);
}

void *kf_redis_reader_new(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    return create_any_list != NULL ? redisReaderCreateWithFunctions(&functions) : NULL;
}

void kf_redis_reader_free(void *reader) {
    if (reader != NULL) redisReaderFree(reader);
}

int kf_redis_reader_feed(void *reader, const void *bytes, size_t count) {
    return redisReaderFeed(reader, bytes, count) == REDIS_OK ? 0 : -1;
}

int kf_redis_reader_next(void *reader, void **reply) {
    *reply = NULL;
    if (redisReaderGetReply(reader, reply) != REDIS_OK) return -1;
    return *reply != NULL;
}

void kf_redis_reply_free(void *reply) {
    if (reply != NULL) freeReplyObject(reply);
}

enum kf_redis_type kf_redis_reply_type(const void *reply) {
    if (reply == NULL) return KF_REDIS_NIL;
    switch (((const redisReply *)reply)->type) {
    case REDIS_REPLY_NIL: return KF_REDIS_NIL;
    case REDIS_REPLY_STATUS: return KF_REDIS_STATUS;
    case REDIS_REPLY_STRING: return KF_REDIS_BYTES;
    case REDIS_REPLY_INTEGER: return KF_REDIS_INTEGER;
    case REDIS_REPLY_ARRAY: return KF_REDIS_LIST;
    case REDIS_REPLY_ERROR: return KF_REDIS_ERROR;
    default: return KF_REDIS_OTHER;
    }
}

int64_t kf_redis_reply_integer(const void *reply) { return ((const redisReply *)reply)->integer; }

const void *kf_redis_reply_bytes(const void *reply, size_t *count) {
    const redisReply *text = reply;
    switch (kf_redis_reply_type(reply)) {
    case KF_REDIS_STATUS:
    case KF_REDIS_BYTES:
    case KF_REDIS_ERROR:
        *count = (size_t)text->len;
        return text->str;
    default:
        *count = 0;
        return NULL;
    }
}

size_t kf_redis_reply_count(const void *reply) {
    return kf_redis_reply_type(reply) == KF_REDIS_LIST ? ((const redisReply *)reply)->elements : 0;
}

const void *kf_redis_reply_element(const void *reply, size_t index) {
    return index < kf_redis_reply_count(reply) ? ((const redisReply *)reply)->element[index] : NULL;
}
#endif
