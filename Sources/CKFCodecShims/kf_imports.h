#pragma once
#include <stddef.h>

// Functions that loaded libraries call in place of those of a name.
typedef struct kf_import {
    // A part of the name of the file of the library that calls.
    const char *library;
    const char *name;
    void *function;
} kf_import;

// Changes the tables of imports of all loaded libraries. For 64-bit systems; elsewhere it fails.
// Returns whether all could be changed; a name that no library imports changes nothing.
int kf_imports_replace(const kf_import *imports, size_t count);
