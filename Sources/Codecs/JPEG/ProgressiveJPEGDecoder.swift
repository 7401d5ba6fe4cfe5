import CCodecShims
package import FoundationEssentials

/// Decodes a progressive JPEG scan by scan while its bytes arrive.
///
/// Each byte is read once; what the scans tell is kept as coefficients (twice the bytes of the
/// samples, checked against ``DecodeLimits/maxWorkingBytes``), so that a picture can be made of them
/// at any time. Not `Sendable`: one owner feeds and asks.
///
/// Source: libjpeg's manual, "Buffered-image mode".
package final class ProgressiveJPEGDecoder {
    /// What is known after the bytes so far.
    package enum Progress: Sendable, Equatable {
        /// The header is not there yet.
        case needsHeader
        /// There are no scans to wait for: a baseline JPEG or another format.
        ///
        /// Bytes that come later are ignored. Progressive files with arithmetic coding, which nobody
        /// writes, count as such too: the library cannot be interrupted in them.
        case notProgressive
        /// A progressive JPEG of which so many scans are complete; 0 before the first.
        case scans(Int)
        /// The picture has ended after so many scans; bytes that come later are ignored.
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

    /// What came and was not used yet: the header, or the beginning of a coding unit.
    private var tail: [UInt8] = []
    private var byteCount = 0

    /// Prepares for a file.
    ///
    /// - Parameter options: The target of the pictures and the limits; ``DecodeOptions/truncation``
    ///   does not count.
    package init(options: DecodeOptions = DecodeOptions()) {
        self.options = options
    }

    /// What is known after the bytes so far.
    package var progress: Progress {
        switch state {
        case .header, .failed: .needsHeader
        case .notProgressive: .notProgressive
        case .scans(let scans): scans.progress
        }
    }

    /// What the header says; nil before a progressive header is complete.
    package var info: ImageInfo? {
        guard case .scans(let scans) = state else { return nil }
        return scans.info
    }

    /// Takes the bytes that follow those of the calls before.
    ///
    /// Costs the entropy decoding of these bytes, no picture is made. A scan is complete when the
    /// header of the next one, a few dozen bytes, is there.
    ///
    /// - Parameter bytes: Any number, also none.
    /// - Returns: The same as ``progress``.
    /// - Throws: ``CodecError`` for a damaged file and for one beyond the limits, among them a hundred
    ///   scans; every call after that throws the same.
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

    /// Decodes what the complete scans tell, upright and in sRGB, straight to the target's size.
    ///
    /// Costs a transform and scaling of the whole picture, a fraction of decoding the file.
    ///
    /// - Returns: The picture, partial unless the last scan is complete; nil before the first one.
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
        // 3: the bytes by which a JPEG is told.
        guard tail.count >= 3 else { return }
        let next = try tail.withBytes { bytes throws(CodecError) -> State in
            guard FileFormat.detect(bytes) == .jpeg else { return .notProgressive }
            guard let header = try Self.header(in: bytes) else { return .header }
            guard header.isProgressive, !header.isArithmeticallyCoded else {
                return .notProgressive
            }
            // The profile may stand behind the frame.
            return header.isComplete ? .scans(try JPEGScans(header, options)) : .header
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
