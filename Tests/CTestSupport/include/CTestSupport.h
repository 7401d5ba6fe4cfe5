// Sets how many tests run at once, before the main function: see places.c.
