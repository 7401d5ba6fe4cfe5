// The lower bound at our quality: libjpeg-turbo's 2/8 decode, a Lanczos filter, the encoder.
//
// Row by row, with our own convolution for AVX2 or NEON, which is C, and weights computed once: what
// remains of a thumbnail if everything around libjpeg-turbo and that filter costs nothing.

#include "turbo.h"

#include "CKFKernels.h"

#include <math.h>

enum { SPAN = 64 };

typedef struct {
    int source, target, taps;
    int *starts, *counts;
    short *weights;
} Table;

static double lanczos(double x) {
    x = fabs(x);
    if (x < 1e-9) return 1;
    return x < 3 ? 3 * sin(M_PI * x) * sin(M_PI * x / 3) / (M_PI * M_PI * x * x) : 0;
}

// Weights of 1/16384. The windows start at multiples of `alignment`.
static Table weights(int source, int target, int alignment) {
    Table table = {source, target, 0, calloc(target, sizeof(int)), calloc(target, sizeof(int)), NULL};
    double scale = (double)source / target, stretch = scale > 1 ? scale : 1;
    table.taps = (int)ceil(6 * stretch) + 2 * alignment;
    table.taps -= table.taps % alignment;
    table.weights = calloc((size_t)target * table.taps, sizeof(short));
    for (int i = 0; i < target; i++) {
        double centre = (i + 0.5) * scale, total = 0, exact[SPAN];
        int first = centre - 3 * stretch + 0.5, end = centre + 3 * stretch + 0.5;
        first = first < 0 ? 0 : first;
        end = end > source ? source : end;
        for (int j = first; j < end; j++)
            total += exact[j - first] = lanczos((j + 0.5 - centre) / stretch);
        int start = first - first % alignment, sum = 0, largest = 0;
        short *own = table.weights + (size_t)i * table.taps + first - start;
        for (int j = 0; j < end - first; j++) {
            own[j] = lround(exact[j] / total * 16384);
            sum += own[j];
            if (own[j] > own[largest]) largest = j;
        }
        own[largest] += 16384 - sum;
        table.starts[i] = start;
        table.counts[i] = end - start;
    }
    return table;
}

static Table tables[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const Table *table(int axis, int source, int target) {
    pthread_mutex_lock(&lock);
    if (tables[axis].source != source || tables[axis].target != target)
        tables[axis] = weights(source, target, axis == 0 ? 4 : 1);
    pthread_mutex_unlock(&lock);
    return &tables[axis];
}

static size_t thumbnail(const Input *input) {
    Decoder decoder;
    start(&decoder, input, 2, JCS_EXT_RGBA);
    int width = decoder.info.output_width, height = decoder.info.output_height;
    const Table *across = table(0, width, decoder.width), *down = table(1, height, decoder.height);
    size_t wide = (size_t)decoder.width * 4;
    unsigned char *row = malloc((size_t)width * 4), *small = malloc(wide * decoder.height);
    short *spread = calloc((size_t)width + across->taps + 4, 4 * sizeof(short));
    short *ring = malloc(down->taps * wide * sizeof(short));
    const short *window[SPAN];
    for (int y = 0, next = 0; y < height; y++) {
        jpeg_read_scanlines(&decoder.info, &row, 1);
        kf_spread_row(row, width, spread);
        kf_convolve_row(spread, across->starts, across->weights, across->taps, decoder.width,
                        ring + y % down->taps * wide);
        for (; next < decoder.height && down->starts[next] + down->counts[next] <= y + 1; next++) {
            for (int tap = 0; tap < down->counts[next]; tap++)
                window[tap] = ring + (down->starts[next] + tap) % down->taps * wide;
            kf_convolve_columns(window, down->weights + (size_t)next * down->taps,
                                down->counts[next], small + next * wide, wide, 0);
        }
    }
    finish(&decoder);
    size_t size = encode(small, decoder.width, decoder.height, JCS_EXT_RGBX, 4);
    free(ring);
    free(spread);
    free(small);
    free(row);
    return size;
}

int main(int count, char **arguments) {
    // Without them the filter would be in Swift, and there is no such bound.
    if (!kf_has_twins()) return serve("none", thumbnail);
    return run(count, arguments, thumbnail);
}
