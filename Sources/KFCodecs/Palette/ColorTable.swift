import KFPixels

/// Numbers at most 256 distinct colours.
struct ColorTable {
    /// Premultiplied pixels, red in the lowest byte.
    private(set) var colors: [UInt32] = []
    /// Positions in `colors` plus one, or 0; at most a quarter is occupied.
    private var slots = [UInt16](repeating: 0, count: slotCount)

    private static let slotCount = 1024

    /// Numbers the colours of a bitmap, those that are not opaque first; nil if there are more than
    /// `maxCount`.
    init?(of bitmap: Bitmap, atMost maxCount: Int) {
        var found = ColorTable([])
        var last: UInt32?
        var fits = true
        bitmap.forEachRow { _, pixel in
            for x in 0..<bitmap.width {
                let color = pixel(x)
                guard color != last else { continue }
                last = color
                fits = found.add(color, atMost: min(256, maxCount))
                guard fits else { return false }
            }
            return true
        }
        guard fits else { return nil }
        let colors = found.colors
        self.init(colors.filter { $0 >> 24 < 255 } + colors.filter { $0 >> 24 == 255 })
    }

    /// Numbers at most 256 colours in their order; of equal ones the first counts.
    init(_ colors: [UInt32]) {
        self.colors = colors
        for (index, color) in colors.enumerated() {
            let slot = slot(of: color)
            if slots[slot] == 0 { slots[slot] = UInt16(index + 1) }
        }
    }

    func contains(_ color: UInt32) -> Bool { slots[slot(of: color)] != 0 }

    /// Writes the number of each pixel's colour, or another one for colours that have none.
    func assign(_ bitmap: Bitmap, to indices: UnsafeMutablePointer<UInt8>, missing: UInt8 = 0) {
        var last: (color: UInt32, index: UInt8)?
        bitmap.forEachRow { y, pixel in
            let row = indices + y * bitmap.width
            for x in 0..<bitmap.width {
                let color = pixel(x)
                if let last, last.color == color {
                    row[x] = last.index
                    continue
                }
                let number = slots[slot(of: color)]
                let index = number == 0 ? missing : UInt8(truncatingIfNeeded: number - 1)
                row[x] = index
                last = (color, index)
            }
            return true
        }
    }

    /// Adds a colour unless it is there; false if there are too many.
    private mutating func add(_ color: UInt32, atMost maxCount: Int) -> Bool {
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
}
