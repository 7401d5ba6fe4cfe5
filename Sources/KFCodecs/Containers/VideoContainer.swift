/// The containers that are read, by the names of FFmpeg's demuxers.
enum VideoContainer: String {
    /// MP4, QuickTime and their relatives.
    case mov
    /// Matroska and WebM.
    case matroska
    case avi
    case mpegts
    /// Sound with a cover image.
    case mp3, flac

    /// The first four bytes after the length of a box of MP4 or QuickTime at the beginning of a file.
    private static let boxes: Set = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

    /// The container of a file; nil for another kind.
    init?(_ head: UnsafeRawBufferPointer) {
        func text(_ range: Range<Int>) -> String {
            head.count < range.upperBound ? "" : String(decoding: head[range], as: UTF8.self)
        }
        func isPacket(_ place: Int) -> Bool { place < head.count && head[place] == 0x47 }
        if Self.boxes.contains(text(4..<8)) {
            self = .mov
        } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .matroska
        } else if text(0..<4) == "RIFF", text(8..<12) == "AVI " {
            self = .avi
        } else if text(0..<3) == "ID3" {
            self = .mp3
        } else if text(0..<4) == "fLaC" {
            self = .flac
        } else if [0, 4].contains(where: { start in
            // Packets of 188 bytes, behind four others each in recordings of cameras.
            (0..<3).allSatisfy { isPacket(start + $0 * (188 + start)) }
        }) {
            self = .mpegts
        } else {
            return nil
        }
    }
}
