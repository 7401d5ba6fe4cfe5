import Foundation

extension LivePhotoResource {
    /// The extensions under which the part's file may lie, the likeliest first.
    var possibleExtensions: [String] {
        switch referenceFileType {
        case .heic: ["heic"]
        case .mov: ["mov"]
        // It was then told by the bytes when the file was stored; "" when these did not tell either.
        case .other(""): ["heic", "mov", ""]
        case .other(let text): [text]
        }
    }

    /// The extension to store these bytes under; nil when nothing tells it.
    func fileExtension(for data: Data) -> String? {
        switch referenceFileType {
        case .heic: "heic"
        case .mov: "mov"
        case .other(""): Self.sniffedExtension(of: data)
        case .other(let text): text
        }
    }

    /// Reads the brand of a file of the ISO base media format (ISO/IEC 14496-12, 4.3).
    private static func sniffedExtension(of data: Data) -> String? {
        guard data.count >= 12 else { return nil }
        switch String(decoding: data.dropFirst(4).prefix(8), as: UTF8.self) {
        case "ftypheic": return "heic"
        case "ftypqt  ": return "mov"
        default: return nil
        }
    }
}
