public import Foundation
import KFCodecs
import KFPixels

extension ImageFileInfo {
    /// Reads the header of an untrusted file, in a worker process where a C library parses it.
    ///
    /// Still images in the formats JPEG, PNG, GIF, WebP, BMP and ICO are read in this process, in
    /// microseconds: the library parses their headers itself. See ``ProcessIsolation``.
    ///
    /// - Parameter data: A complete file.
    /// - Returns: The properties.
    /// - Throws: ``Failure`` if the header cannot be read, ``IsolationFailure`` if a worker fails,
    ///   `CancellationError`.
    public static func isolated(data: Data) async throws -> ImageFileInfo {
        try await isolated(data: data, on: nil)
    }

    /// As above, with another pool than that of the program.
    static func isolated(data: Data, on pool: WorkerPool?) async throws -> ImageFileInfo {
        if isReadSafely(data) { return try ImageFileInfo(data: data) }
        let pool = if let pool { pool } else { try ProcessIsolation.pool(for: data) }
        do {
            let request = try IsolatedRequest.info.message(for: data)
            return try info(in: await pool.answer(to: request, urgency: Urgency(0.5)))
        } catch let failure as WorkerFailure {
            throw IsolationFailure(failure)
        }
    }

    /// Reads the header of a file as the options of a load require it, in a worker process if they
    /// contain ``KingfisherOptionsInfoItem/isolated``.
    ///
    /// For processors that compute a size from that of their input. It may wait for a worker; do
    /// not call it in `async` code, which has ``isolated(data:)``.
    ///
    /// - Parameters:
    ///   - data: A complete file.
    ///   - options: The options that a processor gets.
    /// - Throws: ``Failure`` if the header cannot be read, ``IsolationFailure`` if a worker fails.
    public init(of data: Data, options: KingfisherParsedOptionsInfo) throws {
        guard options.isolated, !Self.isReadSafely(data) else {
            try self.init(data: data)
            return
        }
        do {
            let request = try IsolatedRequest.info.message(for: data)
            self = try Self.info(in: ProcessIsolation.pool(for: data).waitForAnswer(to: request))
        } catch let failure as WorkerFailure {
            throw IsolationFailure(failure)
        }
    }

    /// Whether no C library reads the header: frames are found by the decoders.
    static func isReadSafely(_ data: Data) -> Bool {
        guard Codecs.format(of: data)?.hasSafeHeader ?? true else { return false }
        // Bytes without a readable header have no frames.
        guard let info = try? Codecs.inspect(data) else { return true }
        return info.frameCount == 1
    }

    private static func info(in answer: WorkerMessage) throws -> ImageFileInfo {
        do throws(WireError) {
            guard case .info(let info) = try IsolatedAnswer(answer) else {
                throw WireError("it is not about the header")
            }
            if let info { return info }
        } catch {
            throw IsolationFailure.invalidAnswer(error.description)
        }
        throw Failure.unreadable("the header is damaged")
    }

    func write(to writer: inout WireWriter) {
        writer.write(formatName)
        for side in [size.width, size.height, storedSize.width, storedSize.height] {
            writer.write(Int(side))
        }
        writer.write(orientation)
        writer.write(frameCount) { $0.write($1) }
        writer.write(loopCount) { $0.write($1) }
        writer.write(duration) { $0.write($1) }
        for flag in [hasAlpha, isProgressive, hasColorProfile] { writer.write(flag) }
        writer.write(bitsPerChannel)
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard let known = FileFormat(rawValue: try reader.string(maxBytes: 16)) else {
            throw WireError("the format is not known")
        }
        let any = 0...Int(Int32.max)
        func size() throws(WireError) -> CGSize {
            CGSize(width: try reader.int(in: any), height: try reader.int(in: any))
        }
        func count() throws(WireError) -> Int? {
            try reader.optional { reader throws(WireError) in try reader.int(in: any) }
        }
        let duration: TimeInterval?
        format = ImageFormat(known)
        formatName = known.rawValue
        self.size = try size()
        storedSize = try size()
        orientation = try reader.int(in: 1...8)
        frameCount = try count()
        loopCount = try count()
        duration = try reader.optional { reader throws(WireError) in try reader.double() }
        self.duration = duration.map { $0.isFinite ? max(0, $0) : 0 }
        hasAlpha = try reader.bool()
        isProgressive = try reader.bool()
        hasColorProfile = try reader.bool()
        bitsPerChannel = try reader.int(in: 1...16)
    }
}

extension IsolatedDecoding {
    /// The limits that an image exceeds in its own size, as a clause; nil if it exceeds none.
    ///
    /// Where the program decodes apart, the header is read there. Blocks.
    static func exceededLimit(of data: Data) -> String? {
        var options = KingfisherParsedOptionsInfo(nil)
        options.isolated = ProcessIsolation.startedPool != nil
        // An unreadable header is another reason, which is found before.
        guard let info = try? ImageFileInfo(of: data, options: options),
            let format = FileFormat(rawValue: info.formatName)
        else { return nil }
        let size = PixelSize(
            width: Int(info.storedSize.width),
            height: Int(info.storedSize.height)
        )
        do throws(CodecError) {
            try DecodeLimits.default.check(size, of: format)
            return nil
        } catch {
            return "\(error) (it is \(size.width) × \(size.height)); decode it to a smaller size"
        }
    }
}
