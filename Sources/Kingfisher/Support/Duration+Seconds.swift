extension Duration {
    /// The length in seconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The length in milliseconds.
    var inMilliseconds: Double { inSeconds * 1_000 }
}
