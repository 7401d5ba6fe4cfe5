#pragma once
// libjpeg and libpng report errors by longjmp, which must never cross Swift frames: it stays inside
// this module. See kf_jpeg.h and kf_png.h. The formats of package traits are wrapped in
// kf_picture.h, so that Swift does not depend on their headers.
#include "kf_avif.h"
#include "kf_jpeg.h"
#include "kf_png.h"
#include "kf_picture.h"
