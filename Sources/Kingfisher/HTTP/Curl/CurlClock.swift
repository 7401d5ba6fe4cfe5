/// The time at the start of the loop's turn, for all that happens in it.
final class CurlClock {
    private(set) var now = ContinuousClock.now

    func update() { now = .now }
}
