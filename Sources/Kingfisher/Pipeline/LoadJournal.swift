import Foundation

/// Tells observers about one load, and measures its stages.
struct LoadJournal: Sendable {
    private let observers: LoadObservers
    private let identity: LoadIdentity?
    private let source: Source
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private(set) var timings = LoadTimings()

    init(_ request: LoadRequest, observers: LoadObservers) {
        self.observers = observers
        start = clock.now
        source = request.originalSource
        identity =
            observers.isActive
            ? LoadIdentity(
                id: observers.makeID(),
                key: source.cacheKey,
                processor: request.identifier
            ) : nil
        tell(.started)
    }

    /// Whether anybody listens to this load.
    var isObserved: Bool { identity != nil }

    func tell(_ kind: @autoclosure () -> LoadEvent.Kind) {
        if let identity { observers.tell(identity, kind()) }
    }

    /// Runs a stage and adds its time to what earlier attempts took.
    mutating func measure<Value>(
        _ stage: LoadEvent.Stage,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let began = clock.now
        tell(.began(stage))
        defer {
            tell(.ended(stage))
            timings[stage] = (timings[stage] ?? .zero) + (clock.now - began)
        }
        return try await body()
    }

    /// Ends the load and gives its timings.
    mutating func finish(_ result: Result<RetrieveImageResult, KingfisherError>) -> LoadTimings {
        switch result {
        case .success(let value): tell(.succeeded(value.cacheType))
        case .failure(let error):
            tell(.failed(error))
            if !error.isCancellation { Log.debug(error.localizedDescription, key: source.cacheKey) }
        }
        timings.total = clock.now - start
        return timings
    }
}

extension LoadTimings {
    fileprivate subscript(stage: LoadEvent.Stage) -> Duration? {
        get {
            switch stage {
            case .lookup: lookup
            case .fetch: fetch
            case .process: process
            case .store: store
            }
        }
        set {
            switch stage {
            case .lookup: lookup = newValue
            case .fetch: fetch = newValue
            case .process: process = newValue
            case .store: store = newValue
            }
        }
    }
}
