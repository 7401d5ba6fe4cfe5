#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// log2 of whole numbers in 256ths, by a table: bits are compared by it, for hundreds of symbols
/// every few kilobytes.
enum BinaryLogarithm {
    private static let table = (0..<256).map { mantissa in
        UInt32((log2(1 + Double(mantissa) / 256) * 256).rounded())
    }

    /// log2(`number`) × 256, of one or more.
    static func of(_ number: UInt32) -> UInt32 {
        let exponent = 31 - UInt32(number.leadingZeroBitCount)
        let mantissa = (number << (31 - exponent)) >> 23 & 0xFF
        return exponent << 8 + table[Int(mantissa)]
    }
}
