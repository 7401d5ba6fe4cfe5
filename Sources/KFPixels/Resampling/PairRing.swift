/// The rows that a vertical filter needs, interleaved in pairs for ``PortableConvolution``.
///
/// Pair m holds rows 2m and 2m + 1 and is created when a window first needs it.
struct PairRing {
    private let memory: UnsafeMutableRawPointer
    private let slots: Int
    private let slotBytes: Int
    private let width: Int
    /// Per slot, twice its pair's number, plus one if both rows were available.
    private var contents: [Int]
    private var window: [UnsafeRawPointer] = []
    private var weights: [Int16] = []

    /// Creates a ring for windows of `taps` rows of `width` values each.
    ///
    /// `memory` has room for ``byteCount(taps:width:)`` and belongs to the caller.
    init(taps: Int, width: Int, memory: UnsafeMutableRawPointer) {
        self.memory = memory
        self.width = width
        slots = Self.slots(taps)
        slotBytes = width * 4
        contents = [Int](repeating: -1, count: slots)
    }

    static func byteCount(taps: Int, width: Int) -> Int { slots(taps) * width * 4 }

    // A window that starts at an odd row touches one pair more than half its taps.
    private static func slots(_ taps: Int) -> Int { taps / 2 + 2 }

    /// Filters the window of rows from `start` on into `count` bytes of RGBA8.
    ///
    /// `row` returns the address of a row. Rows from `available` on have not arrived yet. With
    /// `keepsColor`, a translucent pixel keeps its colour when it is rounded.
    mutating func filter(
        from start: Int,
        _ taps: UnsafeBufferPointer<Int16>,
        available: Int,
        row: (Int) -> UnsafePointer<Int16>,
        into out: UnsafeMutablePointer<UInt8>,
        keepsColor: Bool
    ) {
        let end = start + taps.count
        window.removeAll(keepingCapacity: true)
        weights.removeAll(keepingCapacity: true)
        for pair in (start / 2)...((end - 1) / 2) {
            let first = pair * 2
            let slot = memory + (pair % slots) * slotBytes
            // Rows outside the window have a weight of zero, so that their content is irrelevant.
            let content = first + (first + 1 < available ? 1 : 0)
            if contents[pair % slots] != content {
                PortableConvolution.pairRows(row(first), row(first + 1), count: width, into: slot)
                contents[pair % slots] = content
            }
            window.append(UnsafeRawPointer(slot))
            weights.append(first >= start ? taps[first - start] : 0)
            weights.append(first + 1 < end ? taps[first + 1 - start] : 0)
        }
        window.withUnsafeBufferPointer { window in
            weights.withUnsafeBytes { weights in
                guard let rows = window.baseAddress, let factors = weights.baseAddress else {
                    return
                }
                PortableConvolution.columns(
                    rows,
                    factors,
                    taps: window.count,
                    into: out,
                    count: width,
                    keepsColor: keepsColor
                )
            }
        }
    }
}
