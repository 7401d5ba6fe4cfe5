/// The report of one runner about one round.
struct Sample: Sendable {
    /// Wall-clock milliseconds per repetition; with n threads, n repetitions count.
    let wall: Double
    /// CPU milliseconds per repetition, of all threads.
    let cpu: Double
    /// The size of the result in bytes.
    let bytes: Int
    /// The peak memory of the process in kilobytes.
    let peak: Int
    /// The same before the first repetition, with the file in memory.
    let peakBefore: Int

    init(wall: Double, cpu: Double, bytes: Int, peak: Int, peakBefore: Int) {
        self.wall = wall
        self.cpu = cpu
        self.bytes = bytes
        self.peak = peak
        self.peakBefore = peakBefore
    }

    /// Parses the answer of a peer; nil if it is invalid.
    init?(answer: String) {
        let fields = answer.split(separator: " ").compactMap { Double($0) }
        guard fields.count == 5 else { return nil }
        self.init(
            wall: fields[0],
            cpu: fields[1],
            bytes: Int(fields[2]),
            peak: Int(fields[3]),
            peakBefore: Int(fields[4])
        )
    }

    var answer: String { "\(wall) \(cpu) \(bytes) \(peak) \(peakBefore)" }
}
