#pragma once
#include <stddef.h>
#include <stdint.h>

// Pages of PDF documents, drawn by poppler and cairo. Both are loaded when they are first needed, so
// that neither a build nor a program depends on them. Only worker processes call this.

typedef enum kf_pdf_status {
    KF_PDF_OK = 0,
    KF_PDF_DAMAGED = 1,
    // poppler is not installed, or is too old.
    KF_PDF_NO_LIBRARY = 2,
    // The document is encrypted, and the password is missing or wrong.
    KF_PDF_PASSWORD = 3,
    KF_PDF_NO_PAGE = 4,
    KF_PDF_NO_MEMORY = 5,
} kf_pdf_status;

typedef struct kf_pdf kf_pdf;

// Loads the library, which opens files. Returns whether it is installed.
int kf_pdf_load(void);

// Opens a document. The bytes must outlive it. `password` is UTF-8.
kf_pdf_status kf_pdf_open(const uint8_t *_Nonnull bytes, size_t count,
                          const char *_Nullable password,
                          kf_pdf *_Nullable *_Nonnull document);
void kf_pdf_close(kf_pdf *_Nonnull document);

int kf_pdf_page_count(const kf_pdf *_Nonnull document);

// The size of a page in points, of its crop box after its rotation. The first index is 0.
kf_pdf_status kf_pdf_page_size(kf_pdf *_Nonnull document, int index, double *_Nonnull width,
                               double *_Nonnull height);

// Draws a page as packed rows of premultiplied RGBA, `scale` pixels for a point, over white or over
// nothing. `pixels` has width × height × 4 bytes.
kf_pdf_status kf_pdf_render(kf_pdf *_Nonnull document, int index, double scale_x, double scale_y,
                            int is_white, uint8_t *_Nonnull pixels, int width, int height);
