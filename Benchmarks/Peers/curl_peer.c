// Downloads with libcurl's multi interface alone, as a careful C program does.
//
// usage: curl_peer URL COUNT CONCURRENCY
// prints: CPU ms per request, requests per second, median ms, 99th percentile ms, total bytes
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    CURL *easy;
    char *body;
    size_t size, room;
    double start;
} Transfer;

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static size_t write_body(char *bytes, size_t size, size_t count, void *context) {
    Transfer *transfer = context;
    size_t length = size * count;
    if (transfer->size + length > transfer->room) {
        curl_off_t announced = 0;
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
        size_t room = transfer->room * 2;
        if (room < transfer->size + length) room = transfer->size + length;
        if ((curl_off_t)room < announced && announced <= 4 << 20) room = announced;
        char *body = realloc(transfer->body, room);
        if (!body) return 0;
        transfer->body = body;
        transfer->room = room;
    }
    memcpy(transfer->body + transfer->size, bytes, length);
    transfer->size += length;
    return length;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void start(CURLM *multi, Transfer *transfer, const char *url) {
    curl_easy_reset(transfer->easy);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, write_body);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(transfer->easy, CURLOPT_BUFFERSIZE, 64L << 10);
    // The memory is kept for the next body: allocating it costs more than receiving a large body.
    transfer->size = 0;
    transfer->start = seconds(CLOCK_MONOTONIC);
    curl_multi_add_handle(multi, transfer->easy);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int count = atoi(argv[2]), width = atoi(argv[3]), started = 0, done = 0;
    double *times = calloc(count, sizeof *times);
    Transfer *transfers = calloc(width, sizeof *transfers);
    long long bytes = 0;
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)width);
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < width && started < count; i++, started++) {
        transfers[i].easy = curl_easy_init();
        start(multi, &transfers[i], argv[1]);
    }
    while (done < count) {
        int running, left;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            Transfer *transfer;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            if (message->data.result != CURLE_OK) {
                fprintf(stderr, "%s\n", curl_easy_strerror(message->data.result));
                return 1;
            }
            curl_multi_remove_handle(multi, transfer->easy);
            bytes += transfer->size;
            times[done++] = seconds(CLOCK_MONOTONIC) - transfer->start;
            if (started < count) {
                started++;
                start(multi, transfer, argv[1]);
            }
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    wall = seconds(CLOCK_MONOTONIC) - wall;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    qsort(times, count, sizeof *times, compare);
    printf("%.5f %.1f %.3f %.3f %lld\n", cpu * 1000 / count, count / wall,
           times[count / 2] * 1000, times[count * 99 / 100] * 1000, bytes);
    return 0;
}
