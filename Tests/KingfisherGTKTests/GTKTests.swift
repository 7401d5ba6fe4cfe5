#if GTK
import Testing

/// All tests that need a display, one after another, because GTK is a singleton.
@Suite(.serialized, .enabled(if: Stage.hasDisplay, "these tests need a display"))
struct GTKTests {}
#endif
