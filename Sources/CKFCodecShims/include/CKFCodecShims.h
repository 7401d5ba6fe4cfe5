#pragma once
// libjpeg and libpng report errors by longjmp, which must never cross Swift frames: it stays inside
// this module. See kf_jpeg.h and kf_png.h. Formats whose libraries are loaded when they are needed are
// wrapped in kf_picture.h.
#include "kf_avif.h"
#include "kf_drawing.h"
#include "kf_fonts.h"
#include "kf_jpeg.h"
#include "kf_pdf.h"
#include "kf_png.h"
#include "kf_picture.h"
#include "kf_video.h"
