import Foundation
import Kingfisher

/// A key or token that is asked for when it is needed, and kept until shortly before its end.
///
/// Requests that need it at the same time share one question. A failure is repeated for five
/// seconds without another question.
actor KeptCredential<Value: Sendable> {
    /// A value with its end.
    struct Dated: Sendable {
        var value: Value
        var expires: Date
    }

    private let minimumAge: TimeInterval
    private let fetch: @Sendable () async throws -> Dated
    private var current: (dated: Dated, refresh: Date, since: Date)?
    private var pending: Task<Dated, any Error>?
    private var failure: (error: any Error, end: Date)?

    /// Makes a credential that `fetch` asks for.
    ///
    /// - Parameters:
    ///   - minimumAge: The age in seconds before which a value is not forgotten.
    ///   - fetch: Asks for the value.
    init(minimumAge: TimeInterval = 10, _ fetch: @escaping @Sendable () async throws -> Dated) {
        (self.minimumAge, self.fetch) = (minimumAge, fetch)
    }

    /// The value.
    ///
    /// - Throws: The error of the question, unless the old value can still be used.
    func value() async throws -> Value {
        if let current, current.refresh > Date() { return current.dated.value }
        do {
            return try await shared().value
        } catch {
            if let current, current.dated.expires > Date() { return current.dated.value }
            throw error
        }
    }

    /// Forgets a value that is old enough to have been refused since; a new one would not be better.
    ///
    /// - Returns: Whether the next question may give another value.
    func forget() -> Bool {
        guard let current else { return true }
        guard -current.since.timeIntervalSinceNow >= minimumAge else { return false }
        self.current = nil
        return true
    }

    private func shared() async throws -> Dated {
        if let failure, failure.end > Date() { throw failure.error }
        if let pending { return try await pending.value }
        let task = Task { [fetch] in try await fetch() }
        pending = task
        defer { pending = nil }
        do {
            let dated = try await task.value
            let life = max(0, dated.expires.timeIntervalSinceNow)
            let refresh = Date(timeIntervalSinceNow: max(life - 300, life / 2))
            current = (dated, refresh, Date())
            failure = nil
            return dated
        } catch {
            failure = (error, Date(timeIntervalSinceNow: 5))
            throw error
        }
    }
}
