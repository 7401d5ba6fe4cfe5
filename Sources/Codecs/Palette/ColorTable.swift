import Pixels

/// Numbers the distinct colours of a bitmap.
struct ColorTable {
    /// Premultiplied pixels, red in the lowest byte; those that are not opaque come first.
    private(set) var colors: [UInt32] = []
    private let maxCount: Int
    /// Positions in `colors` plus one, or 0; at most a quarter is occupied.
    private var slots = [UInt16](repeating: 0, count: slotCount)

    private static let slotCount = 1024

    init(maxCount: Int) {
        self.maxCount = min(256, maxCount)
    }

    /// Adds the colours of a bitmap; false as soon as there are too many.
    mutating func collect(_ bitmap: Bitmap) -> Bool {
        var last: UInt32?
        var fits = true
        bitmap.forEachRow { _, pixel in
            for x in 0..<bitmap.width {
                let color = pixel(x)
                guard color != last else { continue }
                last = color
                fits = add(color)
                guard fits else { return false }
            }
            return true
        }
        if fits { sort() }
        return fits
    }

    /// Writes the number of each pixel's colour; the colours were collected before.
    func assign(_ bitmap: Bitmap, to indices: UnsafeMutablePointer<UInt8>) {
        var last: (color: UInt32, index: UInt8)?
        bitmap.forEachRow { y, pixel in
            let row = indices + y * bitmap.width
            for x in 0..<bitmap.width {
                let color = pixel(x)
                if let last, last.color == color {
                    row[x] = last.index
                    continue
                }
                let index = UInt8(truncatingIfNeeded: Int(slots[slot(of: color)]) - 1)
                row[x] = index
                last = (color, index)
            }
            return true
        }
    }

    private mutating func add(_ color: UInt32) -> Bool {
        let slot = slot(of: color)
        guard slots[slot] == 0 else { return true }
        guard colors.count < maxCount else { return false }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return true
    }

    /// The slot of a colour, or the empty one where it belongs.
    private func slot(of color: UInt32) -> Int {
        // Multiplicative hashing (Knuth, volume 3, section 6.4), with linear probing.
        var slot = Int((color &* 0x9E37_79B1) >> 22)
        while slots[slot] != 0, colors[Int(slots[slot]) - 1] != color {
            slot = (slot + 1) % Self.slotCount
        }
        return slot
    }

    private mutating func sort() {
        let sorted = colors.filter { $0 >> 24 < 255 } + colors.filter { $0 >> 24 == 255 }
        self = ColorTable(maxCount: maxCount)
        for color in sorted { _ = add(color) }
    }
}
