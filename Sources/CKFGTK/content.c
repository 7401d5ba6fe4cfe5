#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>

void *kf_content_new(
    const void *bytes,
    size_t count,
    const char *type,
    const char *path,
    void *texture
) {
    GdkContentProvider *parts[3];
    size_t used = 0;
    if (bytes) {
        GBytes *copy = g_bytes_new(bytes, count);
        parts[used++] = gdk_content_provider_new_for_bytes(type, copy);
        g_bytes_unref(copy);
    }
    if (path) {
        GFile *file = g_file_new_for_path(path);
        parts[used++] = gdk_content_provider_new_typed(G_TYPE_FILE, file);
        g_object_unref(file);
    }
    if (texture) parts[used++] = gdk_content_provider_new_typed(GDK_TYPE_TEXTURE, texture);
    return used > 0 ? gdk_content_provider_new_union(parts, used) : NULL;
}

bool kf_widget_copy(void *widget, void *content) {
    return gdk_clipboard_set_content(gtk_widget_get_clipboard(widget), content);
}

// --- Dragging

typedef struct {
    KFDragHandler handler;
    KFDragContent content;
    void *context;
} Drag;

static const char drag_key[] = "kingfisher-drag";

static GdkContentProvider *prepare(GtkDragSource *source, double x, double y, Drag *drag) {
    (void)source, (void)x, (void)y;
    return drag->content(drag->context);
}

static void pressed(GtkGesture *gesture, GdkEventSequence *sequence, Drag *drag) {
    (void)gesture, (void)sequence;
    drag->handler(true, drag->context);
}

static void released(GtkGesture *gesture, GdkEventSequence *sequence, Drag *drag) {
    (void)gesture, (void)sequence;
    drag->handler(false, drag->context);
}

static void drag_begins(GtkDragSource *source, GdkDrag *gdk_drag, Drag *drag) {
    (void)gdk_drag, (void)drag;
    GtkWidget *widget = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(source));
    GdkPaintable *live = gtk_widget_paintable_new(widget);
    // The widget may change during the drag; its icon does not.
    GdkPaintable *icon = gdk_paintable_get_current_image(live);
    gtk_drag_source_set_icon(source, icon, 0, 0);
    g_object_unref(icon);
    g_object_unref(live);
}

static void free_drag(gpointer drag, GClosure *closure) {
    (void)closure;
    g_free(drag);
}

void kf_widget_add_drag(
    void *widget,
    KFDragContent content,
    KFDragHandler handler,
    void *context
) {
    kf_widget_remove_drag(widget);
    Drag *drag = g_new(Drag, 1);
    *drag = (Drag){handler, content, context};
    GtkDragSource *source = gtk_drag_source_new();
    g_signal_connect_data(source, "prepare", G_CALLBACK(prepare), drag, free_drag, 0);
    g_signal_connect(source, "begin", G_CALLBACK(pressed), drag);
    g_signal_connect(source, "end", G_CALLBACK(released), drag);
    g_signal_connect(source, "cancel", G_CALLBACK(released), drag);
    g_signal_connect(source, "drag-begin", G_CALLBACK(drag_begins), drag);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(source));
    g_object_set_data(widget, drag_key, source);
}

void kf_widget_remove_drag(void *widget) {
    GtkEventController *source = g_object_steal_data(widget, drag_key);
    if (source) gtk_widget_remove_controller(widget, source);
}

// --- Saving

typedef struct {
    KFChosenFile chosen;
    void *context;
    // Null for a widget that is in no window.
    GtkWindow *window;
    gulong handler;
#if GTK_CHECK_VERSION(4, 10, 0)
    GCancellable *cancellable;
#else
    GtkNativeDialog *dialog;
#endif
} Choice;

static void finish(Choice *choice, GFile *file) {
    if (choice->window) {
        g_signal_handler_disconnect(choice->window, choice->handler);
        g_object_unref(choice->window);
    }
#if GTK_CHECK_VERSION(4, 10, 0)
    g_object_unref(choice->cancellable);
#else
    gtk_native_dialog_destroy(choice->dialog);
    g_object_unref(choice->dialog);
#endif
    choice->chosen(file, choice->context);
    if (file) g_object_unref(file);
    g_free(choice);
}

#if GTK_CHECK_VERSION(4, 10, 0)
static void chosen(GObject *dialog, GAsyncResult *result, gpointer choice) {
    // The error says only that the user has changed their mind, or that the window was closed.
    finish(choice, gtk_file_dialog_save_finish(GTK_FILE_DIALOG(dialog), result, NULL));
}

static void window_closed(Choice *choice) { g_cancellable_cancel(choice->cancellable); }

static void open_dialog(Choice *choice, const char *title, const char *name) {
    GtkFileDialog *dialog = gtk_file_dialog_new();
    choice->cancellable = g_cancellable_new();
    gtk_file_dialog_set_title(dialog, title);
    gtk_file_dialog_set_initial_name(dialog, name);
    gtk_file_dialog_save(dialog, choice->window, choice->cancellable, chosen, choice);
    g_object_unref(dialog);
}
#else
static void responded(GtkNativeDialog *dialog, int response, Choice *choice) {
    bool is_accepted = response == GTK_RESPONSE_ACCEPT;
    finish(choice, is_accepted ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog)) : NULL);
}

static void window_closed(Choice *choice) { finish(choice, NULL); }

static void open_dialog(Choice *choice, const char *title, const char *name) {
    GtkFileChooserNative *dialog = gtk_file_chooser_native_new(
        title, choice->window, GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL
    );
    choice->dialog = GTK_NATIVE_DIALOG(dialog);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
    gtk_native_dialog_set_modal(choice->dialog, TRUE);
    g_signal_connect(dialog, "response", G_CALLBACK(responded), choice);
    gtk_native_dialog_show(choice->dialog);
}
#endif

void kf_choose_file(
    void *widget,
    const char *title,
    const char *name,
    KFChosenFile chosen_file,
    void *context
) {
    Choice *choice = g_new0(Choice, 1);
    choice->chosen = chosen_file;
    choice->context = context;
    GtkRoot *root = gtk_widget_get_root(widget);
    if (GTK_IS_WINDOW(root)) {
        choice->window = GTK_WINDOW(g_object_ref(root));
        // The dialog must not outlive the window that it belongs to. The signal "destroy" would come
        // only when the last reference to the window is gone.
        choice->handler = g_signal_connect_swapped(
            root, "unrealize", G_CALLBACK(window_closed), choice
        );
    }
    open_dialog(choice, title, name);
}

typedef struct {
    KFFileWritten written;
    void *context;
} Writing;

static void replaced(GObject *file, GAsyncResult *result, gpointer data) {
    Writing *writing = data;
    GError *error = NULL;
    g_file_replace_contents_finish(G_FILE(file), result, NULL, &error);
    writing->written(error ? error->message : NULL, writing->context);
    g_clear_error(&error);
    g_free(writing);
}

void kf_file_replace(
    void *file,
    const void *bytes,
    size_t count,
    KFFileWritten written,
    void *context
) {
    Writing *writing = g_new(Writing, 1);
    *writing = (Writing){written, context};
    GBytes *copy = g_bytes_new(bytes, count);
    g_file_replace_contents_bytes_async(
        file, copy, NULL, FALSE, G_FILE_CREATE_NONE, NULL, replaced, writing
    );
    g_bytes_unref(copy);
}
#endif
