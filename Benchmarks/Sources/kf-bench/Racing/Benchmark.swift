import Foundation

/// A piece of work on the bytes of a file, timed for the library and its peers.
struct Benchmark: Sendable {
    /// One piece of work on prepared input.
    ///
    /// Returns the size of the result in bytes, so that nothing is optimized away and sizes can be
    /// compared.
    typealias Work = @Sendable () throws -> Int

    /// Its name on the command line.
    let name: String
    /// Its description for the heading of the table.
    let title: String
    /// The name by which peers know the work; several benchmarks may share one.
    let work: String
    /// The file of the corpus used as input.
    let file: String
    /// Repetitions per measurement; enough for some milliseconds.
    var repetitions = 1
    /// The number of threads that work concurrently.
    var threads = 1
    /// Remarks printed below the table, line by line.
    var notes: [String] = []
    /// The targets to reach.
    var targets: [Target] = []
    /// Whether our kernels in Swift have a separate target.
    var isRunInSwiftToo: Bool {
        targets.contains { if case .timeInSwift = $0 { true } else { false } }
    }
    /// Work before the clock starts, such as making an image of raw pixels.
    let prepare: @Sendable (Data) throws -> Work
}

/// A target for a benchmark, absolute or relative to a peer.
enum Target: Sendable {
    /// At most this share of the peer's time: CPU time on one thread, wall-clock time on several.
    case time(_ share: Double, of: String)
    /// At most this share of the peer's time for our kernels in Swift, without their twins in C.
    case timeInSwift(_ share: Double, of: String)
    /// At most this share of the size of the peer's result.
    case size(_ share: Double, of: String)
    /// At most this share of the peer's peak memory, whole process.
    case memory(_ share: Double, of: String)
    /// The same for our codecs in a process without the rest of the library.
    case memoryOfCodecs(_ share: Double, of: String)
    /// At most this many milliseconds of CPU time.
    case milliseconds(Double)
    /// At most this many megabytes more than the process had with the file in memory.
    case megabytes(Double)
}
