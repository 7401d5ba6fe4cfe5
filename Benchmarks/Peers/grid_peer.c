// Scrolls through 10,000 images in a GtkGridView as a plain C program does it: textures by
// gdk-pixbuf in four threads, 40 ms after a cell was bound, and the latest 48 MB of them kept.
// Reports what the gallery reports with --measure scrolling.
//
// Usage: grid_peer FOLDER [PIXELS_PER_SECOND [SECONDS]]
//
// FOLDER has the images 0.jpg … 99.jpg, written by the gallery with --pictures.

#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 10000, files = 100, width = 160, height = 120, delay = 40 };
static const size_t kept_bytes = 48000000;
static const char css[] = ".gallery-grid { padding: 4px; } .gallery-grid > child { padding: 6px; }";

static const char *folder;
static double speed = 3600, seconds = 10;
static GThreadPool *pool;
static GMainLoop *loop;
static int loads, scale = 1;

// --- Costs

typedef struct { double wall, processor; } Cost;
static GArray *costs;
static Cost start;

static double milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static Cost now(void) {
    return (Cost){milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_THREAD_CPUTIME_ID)};
}

static void frame_begins(void) { start = now(); }

static void frame_ended(void) {
    Cost end = now();
    Cost cost = {end.wall - start.wall, end.processor - start.processor};
    g_array_append_val(costs, cost);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, size_t offset) {
    guint n = costs->len;
    double *values = g_new(double, n);
    for (guint i = 0; i < n; i++) {
        values[i] = *(double *)((char *)&g_array_index(costs, Cost, i) + offset);
    }
    qsort(values, n, sizeof *values, compare);
    printf("%s: %u, ms: p50 %.3f p90 %.3f p99 %.3f max %.3f\n", name, n, values[n / 2],
           values[n * 9 / 10], values[n * 99 / 100], values[n - 1]);
    g_free(values);
}

// Resident memory in millions of bytes.
static double resident(void) {
    char line[256];
    long kibibytes = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "Rss: %ld", &kibibytes) == 1) break;
    }
    if (file) fclose(file);
    return (double)kibibytes * 1024 / 1e6;
}

// --- Textures

static GdkTexture *textures[count];
static GQueue kept = G_QUEUE_INIT;
static size_t used_bytes;

static size_t bytes_of(GdkTexture *texture) {
    return (size_t)gdk_texture_get_width(texture) * (size_t)gdk_texture_get_height(texture) * 3;
}

// Keeps a texture, and releases those that were kept first. Cells keep theirs as long as they show
// them.
static void keep(int position, GdkTexture *texture) {
    if (textures[position]) return;
    textures[position] = g_object_ref(texture);
    g_queue_push_tail(&kept, &textures[position]);
    used_bytes += bytes_of(texture);
    while (used_bytes > kept_bytes) {
        GdkTexture **oldest = g_queue_pop_head(&kept);
        used_bytes -= bytes_of(*oldest);
        g_clear_object(oldest);
    }
}

// --- Cells

typedef struct { GtkPicture *picture; int position; guint timer; } Cell;
typedef struct { GtkPicture *picture; int position; GdkTexture *texture; } Load;

static Cell *cell_of(void *picture) { return g_object_get_data(picture, "cell"); }

static gboolean loaded(gpointer data) {
    Load *load = data;
    if (load->texture) {
        Cell *cell = cell_of(load->picture);
        keep(load->position, load->texture);
        if (cell->position == load->position) {
            gtk_picture_set_paintable(load->picture, GDK_PAINTABLE(load->texture));
        }
        g_object_unref(load->texture);
    }
    g_object_unref(load->picture);
    g_free(load);
    return G_SOURCE_REMOVE;
}

static void decode(gpointer data, gpointer context) {
    Load *load = data;
    (void)context;
    char *path = g_strdup_printf("%s/%d.jpg", folder, load->position % files);
    GdkPixbuf *pixels = gdk_pixbuf_new_from_file_at_scale(
        path, width * scale, height * scale, TRUE, NULL
    );
    if (pixels) load->texture = gdk_texture_new_for_pixbuf(pixels);
    g_clear_object(&pixels);
    g_free(path);
    g_idle_add_full(G_PRIORITY_DEFAULT, loaded, load, NULL);
}

static gboolean is_due(gpointer data) {
    Cell *cell = data;
    Load *load = g_new0(Load, 1);
    load->picture = g_object_ref(cell->picture);
    load->position = cell->position;
    cell->timer = 0;
    loads++;
    g_thread_pool_push(pool, load, NULL);
    return G_SOURCE_REMOVE;
}

static void set_up(GtkSignalListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    GtkWidget *picture = gtk_picture_new();
    gtk_widget_set_size_request(picture, width, height);
    gtk_widget_set_halign(picture, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(picture, GTK_ALIGN_CENTER);
    Cell *cell = g_new0(Cell, 1);
    *cell = (Cell){GTK_PICTURE(picture), -1, 0};
    g_object_set_data_full(G_OBJECT(picture), "cell", cell, g_free);
    gtk_list_item_set_child(item, picture);
}

static void bind(GtkSignalListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    Cell *cell = cell_of(gtk_list_item_get_child(item));
    cell->position = (int)gtk_list_item_get_position(item);
    GdkTexture *texture = textures[cell->position];
    if (texture) gtk_picture_set_paintable(cell->picture, GDK_PAINTABLE(texture));
    else cell->timer = g_timeout_add(delay, is_due, cell);
}

static void unbind(GtkSignalListItemFactory *factory, GtkListItem *item) {
    (void)factory;
    Cell *cell = cell_of(gtk_list_item_get_child(item));
    g_clear_handle_id(&cell->timer, g_source_remove);
    cell->position = -1;
    gtk_picture_set_paintable(cell->picture, NULL);
}

// --- The run

static GtkAdjustment *adjustment;
static double empty;
static int frames;

static void scroll(void) {
    // As far in each frame as at 60 frames a second, so that a busy machine binds no more cells in a
    // frame than a quiet one.
    gtk_adjustment_set_value(adjustment, ++frames * speed / 60);
    if (frames > seconds * 60) g_main_loop_quit(loop);
}

static gboolean begin(gpointer window) {
    GdkFrameClock *clock = gtk_widget_get_frame_clock(window);
    loads = 0;
    g_signal_connect(clock, "before-paint", G_CALLBACK(frame_begins), NULL);
    g_signal_connect(clock, "after-paint", G_CALLBACK(frame_ended), NULL);
    g_signal_connect(clock, "update", G_CALLBACK(scroll), NULL);
    gdk_frame_clock_begin_updating(clock);
    return G_SOURCE_REMOVE;
}

static gboolean fill(gpointer window) {
    empty = resident();
    GtkStringList *numbers = gtk_string_list_new(NULL);
    for (int i = 0; i < count; i++) gtk_string_list_append(numbers, "");
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind), NULL);
    GtkSelectionModel *model = GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(numbers)));
    GtkWidget *grid = gtk_grid_view_new(model, factory), *scrolled = gtk_scrolled_window_new();
    gtk_widget_add_css_class(grid, "gallery-grid");
    gtk_widget_set_halign(grid, GTK_ALIGN_CENTER);
    gtk_grid_view_set_max_columns(GTK_GRID_VIEW(grid), 6);
    gtk_grid_view_set_min_columns(GTK_GRID_VIEW(grid), 2);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), grid);
    adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
    gtk_window_set_child(window, scrolled);
    scale = gtk_widget_get_scale_factor(window);
    g_timeout_add(1500, begin, window);
    return G_SOURCE_REMOVE;
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: %s FOLDER [SPEED [SECONDS]]\n", argv[0]), 2;
    folder = argv[1];
    if (argc > 2) speed = atof(argv[2]);
    if (argc > 3) seconds = atof(argv[3]);
    gtk_init();
    GtkCssProvider *style = gtk_css_provider_new();
    gtk_css_provider_load_from_data(style, css, -1);
    gtk_style_context_add_provider_for_display(
        gdk_display_get_default(), GTK_STYLE_PROVIDER(style),
        GTK_STYLE_PROVIDER_PRIORITY_APPLICATION
    );
    costs = g_array_new(FALSE, FALSE, sizeof(Cost));
    pool = g_thread_pool_new(decode, NULL, 4, FALSE, NULL);
    loop = g_main_loop_new(NULL, FALSE);
    GtkWidget *window = gtk_window_new();
    gtk_window_set_default_size(GTK_WINDOW(window), 1060, 760);
    gtk_window_set_child(GTK_WINDOW(window), gtk_label_new("empty"));
    gtk_window_present(GTK_WINDOW(window));
    g_timeout_add(500, fill, window);
    g_main_loop_run(loop);
    report("frame", offsetof(Cost, wall));
    report("    on a processor, the main thread alone", offsetof(Cost, processor));
    printf("loaded: %d images\n", loads);
    printf("more than with an empty window: %.0f MB\n", resident() - empty);
    return 0;
}
