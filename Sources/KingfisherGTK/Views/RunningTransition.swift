#if GTK
/// A transition that the frame clock moves on.
struct RunningTransition {
    let seconds: Double
    let completion: () -> Void
    /// When its first frame was, on the frame clock.
    var start: Double?

    init(seconds: Double, completion: @escaping () -> Void) {
        self.seconds = seconds
        self.completion = completion
    }

    /// How far it is at a time, 0…1; the first time asked is its beginning.
    mutating func progress(at time: Double) -> Double {
        guard let start else {
            start = time
            return 0
        }
        return min(1, max(0, (time - start) / seconds))
    }
}
#endif
