// For fmemopen.
#define _GNU_SOURCE
#include "kf_fonts.h"

#include "abi_fonts.h"
#include "kf_imports.h"
#include "kf_picture_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// --- The files ---

// Slots of a hash table, of which half stay free.
enum { MAX_FONTS = 4096, SLOTS = 2 * MAX_FONTS };
// Address space; memory is taken where a font is read, and is shared by all processes.
static const size_t max_bytes = 512 << 20;

typedef struct font {
    char *path;
    void *bytes;
    size_t count;
} font;

static struct {
    font slots[SLOTS];
    size_t count;
    size_t bytes;
} mapped;

// The slot that has a path, or the free one for it. FNV-1a.
static font *slot_of(const char *path) {
    uint32_t hash = 2166136261u;
    for (const char *c = path; *c != 0; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
    font *slot = &mapped.slots[hash % SLOTS];
    while (slot->path != NULL && strcmp(slot->path, path) != 0)
        slot = slot + 1 < mapped.slots + SLOTS ? slot + 1 : mapped.slots;
    return slot;
}

static const font *find(const char *path) {
    const font *slot = slot_of(path);
    return slot->path != NULL ? slot : NULL;
}

// Maps a file unless there are too many. A damaged or changed one is for FreeType to refuse.
static void map(const char *path) {
    if (mapped.count == MAX_FONTS || find(path) != NULL) return;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0
        && (size_t)status.st_size <= max_bytes - mapped.bytes) {
        font new = {strdup(path), NULL, (size_t)status.st_size};
        new.bytes = mmap(NULL, new.count, PROT_READ, MAP_PRIVATE, file, 0);
        if (new.path != NULL && new.bytes != MAP_FAILED) {
            *slot_of(path) = new;
            mapped.count++;
            mapped.bytes += new.count;
        } else {
            free(new.path);
        }
    }
    close(file);
}

// --- What the libraries call in place of opening a file ---

#define FUNCTIONS(DO) \
    DO(FcConfigGetCurrent) \
    DO(FcConfigGetFonts) \
    DO(FcConfigSetRescanInterval) \
    DO(FcConfigSubstitute) \
    DO(FcDefaultSubstitute) \
    DO(FcFontMatch) \
    DO(FcNameParse) \
    DO(FcPatternDestroy) \
    DO(FcPatternGetString) \
    DO(FT_New_Memory_Face)

// Those that only Pango needs.
#define PANGO_FUNCTIONS(DO) \
    DO(hb_blob_create) \
    DO(hb_blob_get_empty) \
    DO(g_mutex_lock) \
    DO(g_mutex_unlock) \
    DO(g_async_queue_length) \
    DO(g_async_queue_pop)

static struct {
    FUNCTIONS(KF_FIELD)
    PANGO_FUNCTIONS(KF_FIELD)
} fonts;

#define FILL(name) KF_FIND(fonts, name)

static FT_Error new_face(FT_Library library, const char *path, FT_Long index, FT_Face *face) {
    const font *known = find(path);
    if (known == NULL) return FT_Err_Cannot_Open_Resource;
    return fonts.FT_New_Memory_Face(library, known->bytes, (FT_Long)known->count, index, face);
}

static hb_blob_t *new_blob(const char *path) {
    const font *known = find(path);
    if (known == NULL) return fonts.hb_blob_get_empty();
    return fonts.hb_blob_create(known->bytes, (unsigned)known->count, HB_MEMORY_MODE_READONLY, NULL,
                                NULL);
}

static hb_blob_t *new_blob_or_null(const char *path) {
    return find(path) != NULL ? new_blob(path) : NULL;
}

static int examine(const char *path, int mode) {
    if (find(path) != NULL && (mode & ~R_OK) == 0) return 0;
    errno = EACCES;
    return -1;
}

static FILE *open_stream(const char *path, const char *mode) {
    const font *known = find(path);
    // Behind the walls this fails.
    if (known == NULL || mode[0] != 'r') return fopen(path, mode);
    return fmemopen(known->bytes, known->count, "r");
}

// --- Pango's threads ---

// Pango matches fonts on threads, and a worker may start none. Each runs when Pango waits for it, and
// again from its beginning after it has asked an empty queue for work, where it keeps nothing.
typedef struct thread {
    GThreadFunc function;
    gpointer data;
} thread;

static struct {
    thread *list;
    size_t count;
    size_t room;
    jmp_buf back;
} threads;

static GThread *new_thread(const char *name, GThreadFunc function, gpointer data) {
    (void)name;
    if (threads.count == threads.room) {
        size_t room = threads.room * 2 + 8;
        thread *list = realloc(threads.list, room * sizeof *list);
        // As GLib does.
        if (list == NULL) abort();
        threads.list = list;
        threads.room = room;
    }
    threads.list[threads.count++] = (thread){function, data};
    // Pango only releases it.
    return (GThread *)&threads;
}

static void release_thread(GThread *thread) { (void)thread; }

static int has_ended(thread thread) {
    if (setjmp(threads.back) != 0) return 0;
    thread.function(thread.data);
    return 1;
}

static gpointer next_task(GAsyncQueue *queue) {
    if (fonts.g_async_queue_length(queue) <= 0) longjmp(threads.back, 1);
    return fonts.g_async_queue_pop(queue);
}

static void run_threads(GCond *condition, GMutex *mutex) {
    (void)condition;
    fonts.g_mutex_unlock(mutex);
    size_t kept = 0, count = threads.count;
    for (size_t i = 0; i < count; i++) {
        thread thread = threads.list[i];
        if (!has_ended(thread)) threads.list[kept++] = thread;
    }
    memmove(threads.list + kept, threads.list + count,
            (threads.count - count) * sizeof *threads.list);
    threads.count -= count - kept;
    fonts.g_mutex_lock(mutex);
}

static const kf_import imports[] = {
    {"libcairo.so", "FT_New_Face", (void *)new_face},
    {"libcairo.so", "access", (void *)examine},
    {"libpoppler.so", "FT_New_Face", (void *)new_face},
    {"libpoppler.so", "fopen", (void *)open_stream},
    {"libpangoft2", "hb_blob_create_from_file", (void *)new_blob},
    {"libpangoft2", "hb_blob_create_from_file_or_fail", (void *)new_blob_or_null},
    {"libpangoft2", "g_thread_new", (void *)new_thread},
    {"libpangoft2", "g_thread_unref", (void *)release_thread},
    {"libpangoft2", "g_cond_wait", (void *)run_threads},
    {"libpangoft2", "g_async_queue_pop", (void *)next_task},
};

// --- Choosing ---

static void map_file_of(FcPattern *pattern) {
    FcChar8 *path;
    if (fonts.FcPatternGetString(pattern, FC_FILE, 0, &path) == FcResultMatch)
        map((const char *)path);
}

// What any text needs comes first, so that no number of fonts displaces it.
static void map_defaults(FcConfig *config) {
    // After a hyphen that is not escaped comes a size.
    static const char *const families[] = {"sans\\-serif", "serif", "monospace"};
    static const char *const styles[] = {"", ":bold", ":italic", ":bold:italic"};
    for (size_t i = 0; i < 12; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", families[i / 4], styles[i % 4]);
        FcPattern *pattern = fonts.FcNameParse((const FcChar8 *)name);
        if (pattern == NULL) continue;
        fonts.FcConfigSubstitute(config, pattern, FcMatchPattern);
        fonts.FcDefaultSubstitute(pattern);
        FcResult result;
        FcPattern *match = fonts.FcFontMatch(config, pattern, &result);
        if (match != NULL) {
            map_file_of(match);
            fonts.FcPatternDestroy(match);
        }
        fonts.FcPatternDestroy(pattern);
    }
}

// Maps files, and removes all fonts whose file is not mapped.
static void choose(FcConfig *config) {
    FcFontSet *set = fonts.FcConfigGetFonts(config, FcSetSystem);
    if (set == NULL) return;
    map_defaults(config);
    int kept = 0;
    for (int i = 0; i < set->nfont; i++) {
        FcPattern *pattern = set->fonts[i];
        FcChar8 *path;
        map_file_of(pattern);
        if (fonts.FcPatternGetString(pattern, FC_FILE, 0, &path) == FcResultMatch
            && find((const char *)path) != NULL)
            set->fonts[kept++] = pattern;
        else
            fonts.FcPatternDestroy(pattern);
    }
    set->nfont = kept;
    // Otherwise it looks for new ones every 30 seconds.
    fonts.FcConfigSetRescanInterval(config, 0);
}

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    return 1;
}

static int find_pango_functions(void *library) {
    PANGO_FUNCTIONS(FILL)
    return 1;
}

int kf_fonts_prepare(void) {
    if (__SIZEOF_POINTER__ != 8) return 0;
    static const char *const files[] = {"libfontconfig.so.1", NULL};
    if (!kf_library_load(files, find_functions)) return 0;
    // Not there without librsvg.
    void *pango = dlopen("libpangoft2-1.0.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (pango != NULL && !find_pango_functions(pango)) return 0;
    FcConfig *config = fonts.FcConfigGetCurrent();
    if (config == NULL) return 0;
    choose(config);
    if (!kf_imports_replace(imports, sizeof imports / sizeof *imports)) return 0;
    return (int)mapped.count;
}
