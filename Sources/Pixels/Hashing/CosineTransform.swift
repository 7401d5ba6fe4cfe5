#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Cosine tables that the placeholder hashes share.
enum CosineTransform {
    /// `cos(π · k · (x + shift) / length)` for every k below `count`, x by x.
    static func table(count: Int, length: Int, shift: Double) -> [Double] {
        (0..<length).flatMap { x in
            (0..<count).map { k in
                cos(Double.pi * Double(k) * (Double(x) + shift) / Double(length))
            }
        }
    }
}
