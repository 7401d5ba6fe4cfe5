/// What one runner reports of one round.
struct Sample: Sendable {
    /// Milliseconds per repetition by the wall's clock; with n threads, n repetitions count.
    let wall: Double
    /// Milliseconds per repetition by the processor's clock, all threads together.
    let cpu: Double
    /// The size of the result.
    let bytes: Int
    /// The most memory that the process ever had, in kilobytes.
    let peak: Int
    /// The same before the first repetition, the file being in memory.
    let peakBefore: Int

    init(wall: Double, cpu: Double, bytes: Int, peak: Int, peakBefore: Int) {
        self.wall = wall
        self.cpu = cpu
        self.bytes = bytes
        self.peak = peak
        self.peakBefore = peakBefore
    }

    /// Reads the answer of a peer; nil when it is not one.
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
