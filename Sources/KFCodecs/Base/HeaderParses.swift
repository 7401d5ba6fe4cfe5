import Synchronization

/// Counts how often this module's own code parses a file's header, for tests.
///
/// Counts JPEG and PNG, whose headers a load may need several times; the parsing of C libraries is
/// not counted.
package enum HeaderParses {
    private static let parses = Atomic(0)

    /// The headers parsed by this process so far.
    package static var count: Int { parses.load(ordering: .relaxed) }

    static func add() { parses.add(1, ordering: .relaxed) }
}
