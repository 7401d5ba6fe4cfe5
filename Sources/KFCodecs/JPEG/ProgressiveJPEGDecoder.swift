import CKFCodecShims
package import FoundationEssentials

/// Decodes a progressive JPEG scan by scan while its bytes arrive.
///
/// Each byte is read once. The scans are kept as coefficients (twice the bytes of the samples,
/// checked against ``DecodeLimits/maxWorkingBytes``), from which an image can be decoded at any
/// time. Not `Sendable`: a single owner calls it.
///
/// Source: libjpeg's manual, "Buffered-image mode".
package final class ProgressiveJPEGDecoder {
    /// The state after the bytes received so far.
    package enum Progress: Sendable, Equatable {
        /// The header is incomplete.
        case needsHeader
        /// The file has no scans to show early: a baseline JPEG or another format.
        ///
        /// Later bytes are ignored. Progressive files with arithmetic coding or 12 bits, which are
        /// practically unused, are treated alike: libjpeg cannot suspend within the former.
        case notProgressive
        /// A progressive JPEG with this number of complete scans; 0 before the first.
        case scans(Int)
        /// The image is complete after this number of scans.
        ///
        /// Later bytes are ignored.
        case complete(scanCount: Int)
    }

    private let options: DecodeOptions
    private var state = State.header

    private enum State {
        case header
        case notProgressive
        case scans(JPEGScans)
        case failed(CodecError)
    }

    /// Bytes received but not yet consumed: the header, or the beginning of a coding unit.
    private var tail: [UInt8] = []
    private var byteCount = 0

    /// Creates a decoder for one file.
    ///
    /// - Parameter options: The target of the images and the limits. ``DecodeOptions/truncation``
    ///   is ignored.
    package init(options: DecodeOptions = DecodeOptions()) {
        self.options = options
    }

    /// The state after the bytes received so far.
    package var progress: Progress {
        switch state {
        case .header, .failed: .needsHeader
        case .notProgressive: .notProgressive
        case .scans(let scans): scans.progress
        }
    }

    /// The properties stated in the header; nil until a progressive header is complete.
    package var info: ImageInfo? {
        guard case .scans(let scans) = state else { return nil }
        return scans.info
    }

    /// Appends the next bytes of the file.
    ///
    /// Costs the entropy decoding of these bytes; no image is decoded. A scan is complete when the
    /// header of the next one, a few dozen bytes, has arrived.
    ///
    /// - Parameter bytes: Any number, also none.
    /// - Returns: The same as ``progress``.
    /// - Throws: ``CodecError`` for a damaged file or one beyond the limits, including one with
    ///   more than a hundred scans. Every later call throws the same error.
    @discardableResult
    package func append(_ bytes: Data) throws(CodecError) -> Progress {
        if case .failed(let error) = state { throw error }
        do throws(CodecError) {
            try take(bytes)
        } catch {
            fail(error)
            throw error
        }
        return progress
    }

    /// Decodes the complete scans, upright and in sRGB, straight to the target size.
    ///
    /// Costs a transform and scaling of the whole image, a fraction of decoding the file.
    ///
    /// - Returns: The image, partial unless the last scan is complete; nil before the first scan.
    /// - Throws: ``CodecError``, as ``append(_:)``.
    package func decode() throws(CodecError) -> DecodedImage? {
        switch state {
        case .header, .notProgressive:
            return nil
        case .failed(let error):
            throw error
        case .scans(let scans):
            do throws(CodecError) {
                return try scans.decode()
            } catch {
                fail(error)
                throw error
            }
        }
    }

    private func fail(_ error: CodecError) {
        state = .failed(error)
        tail = []
    }

    private func take(_ bytes: Data) throws(CodecError) {
        switch progress {
        case .notProgressive, .complete: return
        case .needsHeader, .scans: break
        }
        byteCount += bytes.count
        if byteCount > 0 { try options.limits.check(inputBytes: byteCount) }
        tail.append(contentsOf: bytes)
        if case .header = state { try readHeader() }
        if case .scans(let scans) = state { tail.removeFirst(try scans.feed(tail)) }
    }

    private func readHeader() throws(CodecError) {
        // 3: the length of a JPEG's signature.
        guard tail.count >= 3 else { return }
        let next = try tail.withBytes { bytes throws(CodecError) -> State in
            guard FileFormat.detect(bytes) == .jpeg else { return .notProgressive }
            guard let header = try Self.header(in: bytes) else { return .header }
            guard header.isProgressive, header.isOrdinary, !header.isArithmeticallyCoded else {
                return .notProgressive
            }
            // The profile may follow the frame header.
            return header.isComplete ? .scans(try JPEGScans(header, in: bytes, options)) : .header
        }
        state = next
        if case .notProgressive = next { tail = [] }
    }

    private static func header(
        in bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> JPEGHeader? {
        do throws(CodecError) {
            return try JPEGHeader(parsing: bytes)
        } catch {
            if error == .truncated(.jpeg) { return nil }
            throw error
        }
    }
}
