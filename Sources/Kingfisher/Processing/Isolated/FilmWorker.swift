import Foundation
import KFCodecs
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The worker's side of ``FilmRequest``: reads videos behind walls.
struct FilmWorker {
    /// The file that the last request has opened: the next frame is decoded after its last one.
    private var kept: (film: VideoFile, place: FilmPlace, memory: SealedMemory)?

    /// The answer to a request.
    ///
    /// - Throws: ``WireError`` for a request that no program sends.
    mutating func answer(_ received: ReceivedRequest) throws(WireError) -> WorkerMessage {
        var reader = received.message
        var place: FilmPlace?
        let request = try FilmRequest(from: &reader, place: &place)
        // One film at a time has its decoder's memory.
        if place?.number == nil || kept?.place != place { kept = nil }
        do throws(DocumentFault) {
            guard let place else { return try Self.answer(request, received).message() }
            let film = try film(at: place, received)
            return try Self.answer(request, film, received).message()
        } catch {
            kept = nil
            return DocumentAnswer.fault(error).message()
        }
    }

    /// The file of a request, as the last one has left it or opened now.
    private mutating func film(
        at place: FilmPlace,
        _ received: ReceivedRequest
    ) throws(DocumentFault) -> VideoFile {
        if let kept { return kept.film }
        guard let memory = received.memory.first else { throw .damaged("it was not passed on") }
        // `Data` does not pass typed errors on.
        let film = try Self.head(of: memory.descriptor, place.byteCount).withUnsafeBytes { head in
            Result { () throws(DocumentFault) in
                try VideoFile(
                    descriptor: memory.descriptor,
                    byteCount: place.byteCount,
                    parts: place.parts,
                    head: head
                )
            }
        }
        .get()
        if place.number != nil { kept = (film, place, memory) }
        return film
    }

    /// The answer to a request about a video in memory.
    private static func answer(
        _ request: FilmRequest,
        _ received: ReceivedRequest
    ) throws(DocumentFault) -> DocumentAnswer {
        // See above.
        try received.file.withUnsafeBytes { bytes in
            Result { () throws(DocumentFault) in
                try answer(request, VideoFile(bytes), received)
            }
        }
        .get()
    }

    /// The first bytes of a file.
    private static func head(of descriptor: Int32, _ byteCount: Int) throws(DocumentFault) -> Data {
        let count = min(byteCount, VideoFile.headByteCount)
        guard count > 0 else { throw .damaged("it is empty") }
        guard let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            base != MAP_FAILED
        else { throw .outOfMemory }
        defer { munmap(base, count) }
        return Data(bytes: base, count: count)
    }

    private static func answer(
        _ request: FilmRequest,
        _ film: VideoFile,
        _ received: ReceivedRequest
    ) throws(DocumentFault) -> DocumentAnswer {
        let facts = film.facts
        // A sound file has its cover alone.
        let isCover = !facts.hasVideo || (request.prefersCover && facts.hasCover)
        let bitmap: Bitmap
        switch request.kind {
        case .facts: return .film(facts)
        case _ where isCover: bitmap = try film.cover(fitting: request.box)
        case .exact(let seconds):
            bitmap = try film.frame(at: seconds, isKey: false, fitting: request.box).bitmap
        case .keyFrame(let seconds):
            bitmap = try film.frame(at: seconds, isKey: true, fitting: request.box).bitmap
        case .representative:
            bitmap = try RepresentativeFrame.find(in: film, facts, fitting: request.box)
        }
        return try received.answer(bitmap)
    }
}

/// Finds a frame that stands for a video.
///
/// Looks at key frames at some parts of its duration, reduced to 160 pixels, and takes the first
/// that is neither dark, bright, empty nor blurred: of its luma on a scale of 255 the mean is in
/// 24…232, the standard deviation at least 20, and the mean difference of neighbours in a row at
/// least 2. If there is none, it takes the one with the highest product of the last two.
enum RepresentativeFrame {
    private static let parts = [0.1, 0.2, 0.33, 0.5, 0.05, 0.7, 0.9, 0]
    private static let timesOfUnknownDuration = [0.0, 1, 3, 10]

    static func find(
        in film: VideoFile,
        _ facts: VideoFile.Facts,
        fitting box: PixelSize?
    ) throws(DocumentFault) -> Bitmap {
        let times =
            facts.duration.map { duration in parts.map { $0 * duration } }
            ?? timesOfUnknownDuration
        var best: (time: Double, worth: Double)?
        for time in times {
            let small = PixelSize(width: 160, height: 160)
            guard let frame = try frame(of: film, at: time, fitting: small) else { continue }
            let look = Look(frame)
            let isBest = best.map { look.worth > $0.worth } ?? true
            if isBest || look.isGood { best = (time, look.worth) }
            if look.isGood { break }
        }
        return try film.frame(at: best?.time ?? 0, isKey: true, fitting: box).bitmap
    }

    /// A key frame; nil for a part that is damaged, which has no candidate.
    private static func frame(
        of film: VideoFile,
        at time: Double,
        fitting box: PixelSize
    ) throws(DocumentFault) -> Bitmap? {
        do throws(DocumentFault) {
            return try film.frame(at: time, isKey: true, fitting: box).bitmap
        } catch {
            if case .missing = error { throw error }
            return nil
        }
    }

    /// The brightness, contrast and sharpness of an image.
    struct Look {
        private(set) var mean = 0.0
        private(set) var deviation = 0.0
        private(set) var sharpness = 0.0

        var isGood: Bool { (24...232).contains(mean) && deviation >= 20 && sharpness >= 2 }

        var worth: Double { deviation * sharpness }

        init(_ bitmap: Bitmap) {
            let (width, height) = (bitmap.size.width, bitmap.size.height)
            var (sum, squares, steps) = (0.0, 0.0, 0.0)
            bitmap.withPixels { pixels, bytesPerRow in
                for y in 0..<height {
                    let row = pixels + y * bytesPerRow
                    var last: Double?
                    for x in 0..<width {
                        // Rec. 709's weights.
                        let luma =
                            0.2126 * Double(row[4 * x]) + 0.7152 * Double(row[4 * x + 1])
                            + 0.0722 * Double(row[4 * x + 2])
                        sum += luma
                        squares += luma * luma
                        if let last { steps += abs(luma - last) }
                        last = luma
                    }
                }
            }
            guard let pixels = bitmap.size.pixelCount, pixels > 0 else { return }
            let count = Double(pixels)
            mean = sum / count
            deviation = max(0, squares / count - mean * mean).squareRoot()
            sharpness = steps / max(1, count - Double(height))
        }
    }
}
