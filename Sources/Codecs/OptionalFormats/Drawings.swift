import CCodecShims

/// SVG in worker processes.
package enum Drawings {
    /// Loads what drawings of any kind need, so that they can be drawn when no file can be opened any more.
    ///
    /// Changes the process for good, so it is for workers only. The library has to be loaded.
    package static func prepare() { kf_drawing_prepare() }

    /// Starts the thread that filters need; the walls of a worker then forbid any other.
    package static let startThreads: @convention(c) () -> Void = kf_drawing_start_threads
}
