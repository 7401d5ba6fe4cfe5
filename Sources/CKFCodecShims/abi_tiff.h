#pragma once
// The part of libtiff's interface that the shim uses, since 4.5, so that building needs none of its
// headers. Scripts/walls.sh also compiles the shim with those.
#ifdef KF_SYSTEM_HEADERS
#include <tiffio.h>
#else
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tiff TIFF;
typedef struct TIFFOpenOptions TIFFOpenOptions;
typedef void *thandle_t;
typedef ptrdiff_t tmsize_t;
typedef uint64_t toff_t;
typedef int (*TIFFErrorHandlerExtR)(TIFF *, void *, const char *, const char *, va_list);
typedef tmsize_t (*TIFFReadWriteProc)(thandle_t, void *, tmsize_t);
typedef toff_t (*TIFFSeekProc)(thandle_t, toff_t, int);
typedef int (*TIFFCloseProc)(thandle_t);
typedef toff_t (*TIFFSizeProc)(thandle_t);
typedef int (*TIFFMapFileProc)(thandle_t, void **, toff_t *);
typedef void (*TIFFUnmapFileProc)(thandle_t, void *, toff_t);

enum {
    TIFFTAG_IMAGEWIDTH = 256,
    TIFFTAG_IMAGELENGTH = 257,
    TIFFTAG_BITSPERSAMPLE = 258,
    TIFFTAG_PHOTOMETRIC = 262,
    TIFFTAG_ORIENTATION = 274,
    TIFFTAG_SAMPLESPERPIXEL = 277,
    TIFFTAG_ROWSPERSTRIP = 278,
    TIFFTAG_PLANARCONFIG = 284,
    TIFFTAG_COLORMAP = 320,
    TIFFTAG_TILEWIDTH = 322,
    TIFFTAG_TILELENGTH = 323,
    TIFFTAG_INKSET = 332,
    TIFFTAG_EXTRASAMPLES = 338,
    TIFFTAG_SAMPLEFORMAT = 339,
    TIFFTAG_ICCPROFILE = 34675,
    PHOTOMETRIC_MINISWHITE = 0,
    PHOTOMETRIC_MINISBLACK = 1,
    PHOTOMETRIC_RGB = 2,
    PHOTOMETRIC_PALETTE = 3,
    PHOTOMETRIC_SEPARATED = 5,
    INKSET_CMYK = 1,
    PLANARCONFIG_CONTIG = 1,
    PLANARCONFIG_SEPARATE = 2,
    EXTRASAMPLE_UNSPECIFIED = 0,
    EXTRASAMPLE_ASSOCALPHA = 1,
    EXTRASAMPLE_UNASSALPHA = 2,
    SAMPLEFORMAT_UINT = 1,
    SAMPLEFORMAT_INT = 2,
    SAMPLEFORMAT_IEEEFP = 3
};

typedef struct _TIFFRGBAImage TIFFRGBAImage;
typedef void (*tileContigRoutine)(TIFFRGBAImage *, uint32_t *, uint32_t, uint32_t, uint32_t,
                                  uint32_t, int32_t, int32_t, unsigned char *);
struct _TIFFRGBAImage {
    TIFF *tif;
    int stoponerr, isContig, alpha;
    uint32_t width, height;
    uint16_t bitspersample, samplesperpixel, orientation, req_orientation, photometric;
    uint16_t *redcmap, *greencmap, *bluecmap;
    int (*get)(TIFFRGBAImage *, uint32_t *, uint32_t, uint32_t);
    union {
        void (*any)(TIFFRGBAImage *);
        tileContigRoutine contig;
    } put;
    // Tables of libtiff's own routines.
    void *tables[7];
    int row_offset, col_offset;
};

TIFFOpenOptions *TIFFOpenOptionsAlloc(void);
void TIFFOpenOptionsFree(TIFFOpenOptions *options);
void TIFFOpenOptionsSetMaxSingleMemAlloc(TIFFOpenOptions *options, tmsize_t count);
void TIFFOpenOptionsSetErrorHandlerExtR(TIFFOpenOptions *options, TIFFErrorHandlerExtR handler,
                                        void *user);
void TIFFOpenOptionsSetWarningHandlerExtR(TIFFOpenOptions *options, TIFFErrorHandlerExtR handler,
                                          void *user);
TIFF *TIFFClientOpenExt(const char *name, const char *mode, thandle_t handle,
                        TIFFReadWriteProc read, TIFFReadWriteProc write, TIFFSeekProc seek,
                        TIFFCloseProc close, TIFFSizeProc size, TIFFMapFileProc map,
                        TIFFUnmapFileProc unmap, TIFFOpenOptions *options);
void TIFFClose(TIFF *file);
int TIFFGetField(TIFF *file, uint32_t tag, ...);
int TIFFGetFieldDefaulted(TIFF *file, uint32_t tag, ...);
int TIFFIsTiled(TIFF *file);
uint32_t TIFFComputeStrip(TIFF *file, uint32_t row, uint16_t plane);
uint32_t TIFFComputeTile(TIFF *file, uint32_t x, uint32_t y, uint32_t z, uint16_t plane);
tmsize_t TIFFReadEncodedStrip(TIFF *file, uint32_t strip, void *target, tmsize_t count);
tmsize_t TIFFReadEncodedTile(TIFF *file, uint32_t tile, void *target, tmsize_t count);
int TIFFRGBAImageOK(TIFF *file, char message[1024]);
int TIFFRGBAImageBegin(TIFFRGBAImage *image, TIFF *file, int stops, char message[1024]);
int TIFFRGBAImageGet(TIFFRGBAImage *image, uint32_t *raster, uint32_t width, uint32_t height);
void TIFFRGBAImageEnd(TIFFRGBAImage *image);
#endif

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(tmsize_t) == 8 && sizeof(toff_t) == 8 && sizeof(TIFFRGBAImage) == 144, "");
_Static_assert(offsetof(TIFFRGBAImage, alpha) == 16 && offsetof(TIFFRGBAImage, height) == 24
                   && offsetof(TIFFRGBAImage, samplesperpixel) == 30
                   && offsetof(TIFFRGBAImage, req_orientation) == 34
                   && offsetof(TIFFRGBAImage, photometric) == 36
                   && offsetof(TIFFRGBAImage, put) == 72
                   && offsetof(TIFFRGBAImage, row_offset) == 136,
               "");
#endif
_Static_assert(TIFFTAG_IMAGEWIDTH == 256 && TIFFTAG_IMAGELENGTH == 257
                   && TIFFTAG_BITSPERSAMPLE == 258 && TIFFTAG_PHOTOMETRIC == 262
                   && TIFFTAG_ORIENTATION == 274 && TIFFTAG_SAMPLESPERPIXEL == 277
                   && TIFFTAG_ROWSPERSTRIP == 278 && TIFFTAG_PLANARCONFIG == 284
                   && TIFFTAG_COLORMAP == 320 && TIFFTAG_TILEWIDTH == 322 && TIFFTAG_INKSET == 332
                   && TIFFTAG_TILELENGTH == 323 && TIFFTAG_EXTRASAMPLES == 338
                   && TIFFTAG_SAMPLEFORMAT == 339 && TIFFTAG_ICCPROFILE == 34675,
               "");
_Static_assert(PHOTOMETRIC_MINISWHITE == 0 && PHOTOMETRIC_MINISBLACK == 1 && PHOTOMETRIC_RGB == 2
                   && PHOTOMETRIC_PALETTE == 3 && PHOTOMETRIC_SEPARATED == 5 && INKSET_CMYK == 1
                   && PLANARCONFIG_CONTIG == 1 && PLANARCONFIG_SEPARATE == 2
                   && SAMPLEFORMAT_INT == 2 && SAMPLEFORMAT_IEEEFP == 3
                   && EXTRASAMPLE_UNSPECIFIED == 0 && EXTRASAMPLE_ASSOCALPHA == 1
                   && EXTRASAMPLE_UNASSALPHA == 2 && SAMPLEFORMAT_UINT == 1,
               "");
