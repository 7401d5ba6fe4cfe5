/// All benchmarks, in the order in which they are run.
enum Benchmarks {
    static let all = thumbnails + decoding + [diskHit] + encoding + resizing + drawing
}
