import Testing

@testable import Kingfisher

/// The rules of RFC 9110, RFC 9111 and RFC 5861 for a private cache, as dialogues with a server.
///
/// Each is played with images in memory, on disk, and after a restart. One after the other: hundreds
/// at once would let minutes pass between two loads.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPCachingRulesTests {
    @Test(arguments: FreshnessRules.lifetimes + FreshnessRules.ages, Interlude.allCases)
    func `an answer is used as long as it is fresh`(
        rule: CachingRule,
        interlude: Interlude
    ) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: FreshnessRules.syntax, Interlude.allCases)
    func `directives are read by the grammar`(
        rule: CachingRule,
        interlude: Interlude
    ) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: ValidationRules.conditions + ValidationRules.confirmations, Interlude.allCases)
    func `a stale image is asked about`(rule: CachingRule, interlude: Interlude) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: ValidationRules.variants, Interlude.allCases)
    func `variants are distinguished`(rule: CachingRule, interlude: Interlude) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: RedirectChainRules.all, Interlude.allCases)
    func `a chain of redirects is fresh while every hop is`(
        rule: CachingRule,
        interlude: Interlude
    ) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: FailureRules.statuses + FailureRules.removals, Interlude.allCases)
    func `failures that the server calls lasting are remembered`(
        rule: CachingRule,
        interlude: Interlude
    ) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: FailureRules.replacements + FailureRules.staleness, Interlude.allCases)
    func `stale images are shown where that is allowed`(
        rule: CachingRule,
        interlude: Interlude
    ) async throws {
        try await CachingScript(interlude).play(rule)
    }

    @Test(arguments: RequestRules.all, Interlude.allCases)
    func `a request decides what it takes`(rule: CachingRule, interlude: Interlude) async throws {
        try await CachingScript(interlude).play(rule)
    }
}
