#ifdef KF_GTK
#include "CKFGTK.h"

#include <glib.h>
#include <stdint.h>
#include <unistd.h>

// libdispatch's interface for run loops: a descriptor that is readable when the main queue has
// work, and the function that does the work. Weak symbols, so that their absence can be reported.
extern int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
extern void _dispatch_main_queue_callback_4CF(void *message) __attribute__((weak));

typedef struct {
    GSource base;
    int descriptor;
    gpointer tag;
} MainQueueSource;

bool kf_is_process_main_thread(void) { return getpid() == gettid(); }

static gboolean prepare(GSource *source, gint *timeout) {
    (void)source;
    *timeout = -1;
    return FALSE;
}

static gboolean check(GSource *source) {
    MainQueueSource *own = (MainQueueSource *)source;
    return (g_source_query_unix_fd(source, own->tag) & G_IO_IN) != 0;
}

static gboolean dispatch(GSource *source, GSourceFunc function, gpointer data) {
    (void)function;
    (void)data;
    // On other threads (such as a test runner's loop) the queue is drained elsewhere: draining it
    // here would run main-actor code on two threads.
    if (!kf_is_process_main_thread()) return G_SOURCE_CONTINUE;
    uint64_t count;
    // Draining does not reset the descriptor; if it stayed readable, the loop would spin. The read
    // does not block; an empty read means that it was reset already.
    if (read(((MainQueueSource *)source)->descriptor, &count, sizeof count) < 0) count = 0;
    _dispatch_main_queue_callback_4CF(NULL);
    return G_SOURCE_CONTINUE;
}

static GSourceFuncs functions = {.prepare = prepare, .check = check, .dispatch = dispatch};

KFMainLoopResult kf_main_loop_attach(void) {
    static bool is_attached = false;
    if (is_attached) return KF_MAIN_LOOP_ALREADY_ATTACHED;
    if (!_dispatch_get_main_queue_handle_4CF || !_dispatch_main_queue_callback_4CF) {
        return KF_MAIN_LOOP_UNAVAILABLE;
    }
    int descriptor = _dispatch_get_main_queue_handle_4CF();
    if (descriptor < 0) return KF_MAIN_LOOP_UNAVAILABLE;
    MainQueueSource *own = (MainQueueSource *)g_source_new(&functions, sizeof *own);
    own->descriptor = descriptor;
    own->tag = g_source_add_unix_fd(&own->base, descriptor, G_IO_IN);
    g_source_set_static_name(&own->base, "libdispatch main queue");
    // At the priority of events: below the frame clock's 120, slow frames would starve the queue.
    g_source_set_priority(&own->base, G_PRIORITY_DEFAULT);
    g_source_attach(&own->base, NULL);
    g_source_unref(&own->base);
    is_attached = true;
    return KF_MAIN_LOOP_ATTACHED;
}
#endif
