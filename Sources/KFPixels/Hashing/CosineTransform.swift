#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Cosine tables for the placeholder hashes.
enum CosineTransform {
    /// `cos(π · k · (x + shift) / length)` for every k below `count`, grouped by x.
    static func table(count: Int, length: Int, shift: Double) -> [Double] {
        (0..<length).flatMap { x in
            (0..<count).map { k in
                cos(Double.pi * Double(k) * (Double(x) + shift) / Double(length))
            }
        }
    }
}
