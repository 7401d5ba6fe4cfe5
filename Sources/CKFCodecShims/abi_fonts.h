#pragma once
// The part of the interfaces of fontconfig, FreeType, HarfBuzz and GLib that the shim uses, so that
// building needs none of their headers. Scripts/walls.sh also compiles the shim with those.
#ifdef KF_SYSTEM_HEADERS
#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <glib.h>
#include <hb.h>
#else
#include <stddef.h>
#include <stdint.h>

typedef struct FcConfig FcConfig;
typedef struct FcPattern FcPattern;
typedef unsigned char FcChar8;
typedef int FcBool;
typedef struct {
    int nfont;
    int sfont;
    FcPattern **fonts;
} FcFontSet;
typedef enum { FcResultMatch = 0 } FcResult;
typedef enum { FcMatchPattern = 0 } FcMatchKind;
typedef enum { FcSetSystem = 0 } FcSetName;
#define FC_FILE "file"

FcConfig *FcConfigGetCurrent(void);
FcFontSet *FcConfigGetFonts(FcConfig *config, FcSetName set);
FcBool FcConfigSetRescanInterval(FcConfig *config, int seconds);
FcBool FcConfigSubstitute(FcConfig *config, FcPattern *pattern, FcMatchKind kind);
void FcDefaultSubstitute(FcPattern *pattern);
FcPattern *FcFontMatch(FcConfig *config, FcPattern *pattern, FcResult *result);
FcPattern *FcNameParse(const FcChar8 *name);
void FcPatternDestroy(FcPattern *pattern);
FcResult FcPatternGetString(const FcPattern *pattern, const char *object, int index,
                            FcChar8 **value);

typedef struct FT_LibraryRec_ *FT_Library;
typedef struct FT_FaceRec_ *FT_Face;
typedef int FT_Error;
typedef signed long FT_Long;
typedef unsigned char FT_Byte;
enum { FT_Err_Cannot_Open_Resource = 1 };
FT_Error FT_New_Memory_Face(FT_Library library, const FT_Byte *bytes, FT_Long count, FT_Long index,
                            FT_Face *face);

typedef struct hb_blob_t hb_blob_t;
typedef enum { HB_MEMORY_MODE_READONLY = 1 } hb_memory_mode_t;
hb_blob_t *hb_blob_create(const char *data, unsigned int length, hb_memory_mode_t mode,
                          void *user_data, void (*destroy)(void *user_data));
hb_blob_t *hb_blob_get_empty(void);

typedef void *gpointer;
typedef gpointer (*GThreadFunc)(gpointer data);
typedef struct GThread GThread;
typedef struct GCond GCond;
typedef union GMutex GMutex;
typedef struct GAsyncQueue GAsyncQueue;
void g_mutex_lock(GMutex *mutex);
void g_mutex_unlock(GMutex *mutex);
int g_async_queue_length(GAsyncQueue *queue);
gpointer g_async_queue_pop(GAsyncQueue *queue);
#endif

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(FcFontSet) == 16 && offsetof(FcFontSet, fonts) == 8 && sizeof(FcBool) == 4,
               "");
_Static_assert(sizeof(FT_Long) == 8 && sizeof(FT_Error) == 4, "");
#endif
_Static_assert(FcResultMatch == 0 && FcMatchPattern == 0 && FcSetSystem == 0
                   && FT_Err_Cannot_Open_Resource == 1 && HB_MEMORY_MODE_READONLY == 1,
               "");
