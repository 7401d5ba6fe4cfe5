import Foundation

/// Something to be done as fast as possible to the bytes of a file, by us and by others.
struct Benchmark: Sendable {
    /// One piece of work on prepared input; returns the size of the result in bytes, so that
    /// nothing is optimised away and sizes can be compared.
    typealias Work = @Sendable () throws -> Int

    /// The word on the command line.
    let name: String
    /// What is done, for the heading of the table.
    let title: String
    /// The word that peers know the work by; several benchmarks may share one.
    let work: String
    /// The file of the corpus that all of them get.
    let file: String
    /// How often it is done between two looks at the clock; enough for some milliseconds.
    var repetitions = 1
    /// How many threads do it at the same time.
    var threads = 1
    /// What a reader of the table has to know, in lines.
    var notes: [String] = []
    /// What is to be reached.
    var targets: [Target] = []
    /// Whether our kernels in Swift have a target of their own.
    var isRunInSwiftToo: Bool {
        targets.contains { if case .timeInSwift = $0 { true } else { false } }
    }
    /// Whatever may be done before the clock starts, such as making an image of raw pixels.
    let prepare: @Sendable (Data) throws -> Work
}

/// What a benchmark is to reach beside a peer, or on its own.
enum Target: Sendable {
    /// At most this share of the peer's time: of the processor's on one thread, of the wall's on
    /// several.
    case time(_ share: Double, of: String)
    /// At most this share of the peer's time for our kernels in Swift, without their twins in C.
    case timeInSwift(_ share: Double, of: String)
    /// At most this share of the size of the peer's result.
    case size(_ share: Double, of: String)
    /// At most this share of the peer's peak of memory, whole process.
    case memory(_ share: Double, of: String)
    /// The same for our codecs in a process without the rest of the library.
    case memoryOfCodecs(_ share: Double, of: String)
    /// At most so many milliseconds of the processor.
    case milliseconds(Double)
    /// At most so many megabytes more than the process had with the file in memory.
    case megabytes(Double)
}
