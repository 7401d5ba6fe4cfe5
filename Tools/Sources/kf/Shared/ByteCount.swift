import ArgumentParser
import Foundation

/// A number of bytes as given on the command line, such as `500MB`.
struct ByteCount: Sendable {
    let bytes: Int

    private static let units: KeyValuePairs<String, Double> = [
        "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "kb": 1e3, "mb": 1e6, "gb": 1e9,
        "k": 1e3, "m": 1e6, "g": 1e9, "b": 1, "": 1,
    ]

    /// Parses a number with a unit; without one it is bytes.
    ///
    /// - Throws: A `ValidationError` that states the expected form.
    init(_ text: String) throws {
        let unit = String(text.drop { "0123456789.".contains($0) })
        let number = Double(text.dropLast(unit.count))
        guard let factor = Self.units.first(where: { $0.key == unit.lowercased() })?.value,
            let number, case 1..<1e15 = number * factor
        else {
            throw ValidationError("'\(text)' is no size; write it as 500kB, 200MB or 2GB")
        }
        bytes = Int(number * factor)
    }
}
