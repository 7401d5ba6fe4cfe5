#pragma once
// libjpeg and libpng report errors by longjmp, which Swift must never see: it lives in this module
// and nowhere else. See kf_jpeg.h and kf_png.h. The formats behind package traits are wrapped in
// kf_picture.h, so that Swift need not know whether their headers are there.
#include "kf_jpeg.h"
#include "kf_png.h"
#include "kf_picture.h"
