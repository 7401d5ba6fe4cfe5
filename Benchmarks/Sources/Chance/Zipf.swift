import Foundation

/// Draws numbers of 0 ..< count, n with a probability proportional to 1 / (n + 1)^exponent.
package struct Zipf {
    private let sums: [Double]

    /// Prepares draws from `count` ranks.
    package init(count: Int, exponent: Double) {
        var sum = 0.0
        sums = (1...count).map { rank in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
    }

    /// Draws a number.
    ///
    /// - Complexity: O(log count).
    package func draw(_ random: inout Random) -> Int {
        let wanted = random.unit() * (sums.last ?? 0)
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
