#pragma once

// Lets librsvg draw in a process that will open no file and start no thread any more: loads what it, Pango
// and gdk-pixbuf load with the first bitmap, text or language that needs it.
//
// For worker processes, after librsvg was loaded, and before the first drawing. Includes kf_fonts_prepare.
void kf_drawing_prepare(void);

// Starts the one thread on which librsvg computes filters, and which lives as long as the process. For worker
// processes, when files can no longer be opened and threads still be started.
void kf_drawing_start_threads(void);
