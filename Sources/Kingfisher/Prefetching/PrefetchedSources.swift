/// The sources whose turn is over, by how they ended, each list in order of their ends.
struct PrefetchedSources: Sendable {
    /// How the turn of one source ended.
    enum Outcome: Sendable {
        /// It was cached already.
        case skipped
        case failed
        case completed
    }

    private(set) var skipped: [Source] = []
    private(set) var failed: [Source] = []
    private(set) var completed: [Source] = []

    mutating func append(_ source: Source, _ outcome: Outcome) {
        switch outcome {
        case .skipped: skipped.append(source)
        case .failed: failed.append(source)
        case .completed: completed.append(source)
        }
    }
}
