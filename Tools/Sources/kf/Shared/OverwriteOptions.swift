import ArgumentParser
import Synchronization

/// The option of commands that may replace files.
struct OverwriteOptions: ParsableArguments {
    @Flag(help: "Also replace files that are read-only, or that have further names (hard links).")
    var force = false

    func validate() throws { OutputPlace.isForced.store(force, ordering: .relaxed) }
}
