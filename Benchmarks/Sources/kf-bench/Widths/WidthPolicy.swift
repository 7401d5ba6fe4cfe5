import Foundation

/// Determines how many transfers of a host run at once.
protocol WidthPolicy: Sendable {
    var width: Double { get }

    /// Records a response.
    ///
    /// - Parameters:
    ///   - latency: The seconds to its first byte.
    ///   - running: How many transfers of the host ran.
    ///   - limit: The width that the user allows.
    mutating func record(_ latency: Double, running: Int, limit: Int)
}

/// What the library does.
struct ConstantWidth: WidthPolicy {
    let width: Double

    mutating func record(_ latency: Double, running: Int, limit: Int) {}
}

/// Gradient2 of Netflix's concurrency limits, with its defaults.
///
/// The width shrinks by the ratio of the long-term latency to the present one.
struct Gradient2Width: WidthPolicy {
    private(set) var width: Double
    private var longTerm = 0.0
    private var samples = 0

    init(start: Double) { width = start }

    mutating func record(_ latency: Double, running: Int, limit: Int) {
        samples += 1
        // A window of 600 samples, after an average of the first ten.
        let weight = samples <= 10 ? 1 / Double(samples) : 2 / 601.0
        longTerm += (latency - longTerm) * weight
        if longTerm / latency > 2 { longTerm *= 0.95 }
        // The width does not limit now.
        guard Double(running) >= width / 2 else { return }
        let gradient = max(0.5, min(1, 1.5 * longTerm / latency))
        let wanted = width * gradient + 4
        width = max(1, min(Double(limit), width * 0.8 + wanted * 0.2))
    }
}

/// The algorithm of TCP Vegas (Brakmo and Peterson, 1995) for requests.
///
/// The latency above the lowest one gives the number of requests that wait at the server.
struct VegasWidth: WidthPolicy {
    private(set) var width: Double
    private var lowest = Double.infinity
    private var sinceProbe = 0

    init(start: Double) { width = start }

    mutating func record(_ latency: Double, running: Int, limit: Int) {
        sinceProbe += 1
        if sinceProbe >= Int(30 * width) {
            sinceProbe = 0
            lowest = latency
        }
        lowest = min(lowest, latency)
        guard Double(running) >= width / 2 else { return }
        let unit = max(1, log10(width))
        let queue = (width * (1 - lowest / latency)).rounded(.up)
        if queue <= unit {
            width += 6 * unit
        } else if queue < 3 * unit {
            width += unit
        } else if queue > 6 * unit {
            width -= unit
        }
        width = max(1, min(Double(limit), width))
    }
}
