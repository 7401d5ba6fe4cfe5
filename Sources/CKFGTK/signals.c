#ifdef KF_GTK
#include "CKFGTK.h"

#include <gdk/gdk.h>

unsigned long kf_connect(
    void *object,
    const char *signal,
    bool is_after,
    KFSignalHandler handler,
    void *context,
    KFSignalRelease release
) {
    // A swapped closure passes the context first, regardless of the signal's arguments.
    GClosure *closure = g_cclosure_new_swap(G_CALLBACK(handler), context, NULL);
    // A finalize notifier passes the closure as its second argument, which `release` ignores.
    g_closure_add_finalize_notifier(closure, context, (GClosureNotify)(GCallback)release);
    return g_signal_connect_closure(object, signal, closure, is_after);
}
bool kf_frame_clock_is_in_layout(void *clock) {
    static guint layout;
    if (!layout) layout = g_signal_lookup("layout", GDK_TYPE_FRAME_CLOCK);
    GSignalInvocationHint *hint = g_signal_get_invocation_hint(clock);
    return hint && hint->signal_id == layout;
}
#endif
