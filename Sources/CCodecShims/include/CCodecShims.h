#pragma once
// libjpeg and libpng report errors by longjmp, which Swift must never see: it lives in this module
// and nowhere else. See kf_jpeg.h and kf_png.h.
#include "kf_jpeg.h"
#include "kf_png.h"
