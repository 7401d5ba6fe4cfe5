#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The transfer curve of sRGB (IEC 61966-2-1).
enum LinearLight {
    private static let table: [Double] = (0...255).map { level in
        let value = Double(level) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Linear light of 0…1 for a byte.
    static func value(of byte: UInt8) -> Double { table[Int(byte)] }

    /// The byte for linear light, clipped and rounded to nearest.
    static func byte(_ light: Double) -> UInt8 {
        let value = max(0, min(1, light))
        let curve = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        return UInt8(curve * 255 + 0.5)
    }
}
