#if GTK
import Testing

/// Everything that needs a display, one test after another: there is one GTK.
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "these tests need a display"))
struct GTKTests {}
#endif
