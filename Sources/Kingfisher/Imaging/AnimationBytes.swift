import Foundation

/// The encoded bytes of an animation, for as long as it is shown.
///
/// Beyond an allowance they are mapped copies in unnamed files, which the kernel can reclaim.
final class AnimationBytes: Sendable {
    /// The allowance of the process for the files of animations in views: 64 MiB.
    static let allowance = FrameAllowance(limit: 64 << 20)

    let data: Data
    private let isMapped: Bool
    private let allowance: FrameAllowance?
    /// The bytes that the allowance counts.
    private let counted: Int

    /// - Parameters:
    ///   - data: The bytes.
    ///   - allowance: Counts the bytes; without one they stay where they are.
    init(_ data: Data, allowance: FrameAllowance?) {
        self.allowance = allowance
        // Smaller ones would waste pages; larger ones are mapped already, as bodies.
        let isMovable = 1 << 14...UnnamedFile.largestInMemory ~= data.count
        let exceeds = allowance.map { !$0.fits(data.count, isSaving: true) } ?? false
        // Without room for a file the bytes stay in memory.
        let copy = isMovable && exceeds ? try? UnnamedFile.copy(of: data) : nil
        self.data = copy ?? data
        isMapped = copy != nil
        counted = copy == nil && allowance != nil ? data.count : 0
        allowance?.add(counted)
    }

    deinit { allowance?.add(-counted) }

    /// Releases the pages of a mapped copy from memory; they are read from the file again.
    func releasePages() {
        guard isMapped else { return }
        data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            // Only advice: ignoring it is harmless. The pages are those of the file, because nothing
            // writes to them.
            madvise(UnsafeMutableRawPointer(mutating: base), bytes.count, MADV_DONTNEED)
        }
    }
}
