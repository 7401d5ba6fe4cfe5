#pragma once

// Lets the libraries of SVG and PDF draw with the fonts of the system in a process that will open no
// file any more. The fonts are mapped now, and fontconfig knows no others from now on. Pango's threads
// become calls.
//
// For worker processes, after the libraries were loaded, and before the first text is drawn. Returns
// the number of files.
int kf_fonts_prepare(void);
