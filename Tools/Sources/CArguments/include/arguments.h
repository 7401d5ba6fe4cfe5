#pragma once

// The arguments that the program was started with; 0 if the C library does not tell them.
int kf_argument_count(void);

// An argument by its number, from 0, the name of the program.
const char *_Nonnull kf_argument(int number);
