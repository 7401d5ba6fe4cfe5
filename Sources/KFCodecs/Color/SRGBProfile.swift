/// The ICC profile of sRGB: 588 bytes, without licence terms.
///
/// Source: ICC.1:2010 (version 4.3); the colorants of IEC 61966-2-1, adapted to D50.
package enum SRGBProfile {
    package static let bytes: [UInt8] = {
        let colorants = [
            ("rXYZ", [0x6FA2, 0x38F5, 0x0390]), ("gXYZ", [0x6299, 0xB785, 0x18DA]),
            ("bXYZ", [0x24A0, 0x0F84, 0xB6CF]), ("wtpt", d50),
        ]
        // Exponent, scale and offset, slope and limit of the linear part.
        let curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        let adaptation = [
            1.047882, 0.022919, -0.050201, 0.029587, 0.990479, -0.017075, -0.009247, 0.015076,
            0.751678,
        ]
        let tone = type("para") + number(3, 2) + number(0, 2) + curve.flatMap(fixed)
        var tags: [(name: String, body: [UInt8])] = [
            ("desc", text("sRGB")), ("cprt", text("No copyright")),
            ("chad", type("sf32") + adaptation.flatMap(fixed)),
        ]
        tags += colorants.map { ($0, type("XYZ ") + $1.flatMap { number($0, 4) }) }
        tags += ["rTRC", "gTRC", "bTRC"].map { ($0, tone) }
        return assembled(tags)
    }()

    private static let d50 = [0xF6D6, 0x10000, 0xD32D]

    private static func assembled(_ tags: [(name: String, body: [UInt8])]) -> [UInt8] {
        var table = number(tags.count, 4)
        var content: [UInt8] = []
        // Behind the header, the count and the table's entries.
        let start = 128 + 4 + tags.count * 12
        var curve: Int?
        for (name, body) in tags {
            // The three curves are one.
            let isShared = name.hasSuffix("TRC") && curve != nil
            let offset = isShared ? curve ?? 0 : start + content.count
            if name.hasSuffix("TRC") { curve = offset }
            table += Array(name.utf8) + number(offset, 4) + number(body.count, 4)
            if !isShared { content += body + padding(body.count) }
        }
        return header(byteCount: start + content.count) + table + content
    }

    private static func header(byteCount: Int) -> [UInt8] {
        let date = [2026, 1, 1, 0, 0, 0].flatMap { number($0, 2) }
        let kind = number(0x0430_0000, 4) + Array("mntrRGB XYZ ".utf8)
        let head = number(byteCount, 4) + number(0, 4) + kind + date + Array("acsp".utf8)
        let illuminant = d50.flatMap { number($0, 4) }
        // Platform, flags, device and intent are zero, and so is all that follows.
        let whole = head + [UInt8](repeating: 0, count: 28) + illuminant
        return whole + [UInt8](repeating: 0, count: 128 - whole.count)
    }

    private static func text(_ text: String) -> [UInt8] {
        let units = text.utf16.flatMap { number(Int($0), 2) }
        // One record of 12 bytes at offset 28.
        return type("mluc") + number(1, 4) + number(12, 4) + Array("enUS".utf8)
            + number(units.count, 4) + number(28, 4) + units
    }

    private static func type(_ name: String) -> [UInt8] { Array(name.utf8) + number(0, 4) }

    private static func fixed(_ value: Double) -> [UInt8] {
        number(Int((value * 65536).rounded()), 4)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        UntrustedBytes.number(value, count: count)
    }

    private static func padding(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: (4 - count % 4) % 4)
    }
}
