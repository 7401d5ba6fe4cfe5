#ifdef KF_GTK
#include "CKFGTK.h"

#include <glib-object.h>

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
#endif
