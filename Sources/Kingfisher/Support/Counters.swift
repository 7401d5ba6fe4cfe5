import Synchronization

/// Counts the steps of loads in this process, for the tests that keep the way of a load short.
///
/// A step costs one relaxed atomic addition.
struct Counter: ~Copyable, Sendable {
    private let steps = Atomic(0)

    /// The steps of this process so far.
    var count: Int { steps.load(ordering: .relaxed) }

    func add() { steps.add(1, ordering: .relaxed) }
}

enum Counters {
    /// SHA-256 digests, whatever they are of.
    static let digests = Counter()
    /// Tasks begun for work that callers share.
    static let jobs = Counter()
    /// Pieces of work passed to the threads of a ``WorkPool``.
    static let submissions = Counter()
    /// Callers that were resumed after work elsewhere.
    static let resumptions = Counter()
    /// Questions to the index of a disk cache.
    static let probes = Counter()
    /// Requests made, copies included.
    static let requests = Counter()
}
