/// The time at the start of the current iteration of the loop.
final class CurlClock {
    private(set) var now = ContinuousClock.now

    func update() { now = .now }
}
