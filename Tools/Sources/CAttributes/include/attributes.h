#pragma once

// Gives an open file the extended attributes of another, the access control list among them, and
// takes a list away that the other does not have. Returns 0 or the system's error number.
//
// Attributes of the system that the user may not set are left out.
int kf_copy_attributes(const char *_Nonnull from, int to);
