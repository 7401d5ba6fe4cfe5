import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Every format in every form and orientation loses what is private, and no pixel.
@Suite(.timeLimit(.minutes(1)))
struct RemovalTableTests {
    private func expectEqual(_ after: Data, _ before: Data) throws {
        let (before, after) = (try FrameDecoder(before), try FrameDecoder(after))
        #expect(before.frameCount == after.frameCount)
        #expect(before.delays == after.delays && before.loopCount == after.loopCount)
        #expect(before.info.orientation == after.info.orientation)
        #expect(before.info.hasColorProfile == after.info.hasColorProfile)
        for index in 0..<before.frameCount {
            #expect(try before.frame(at: index) == after.frame(at: index))
        }
    }

    @Test(arguments: PrivateFile.all)
    func `all that is private is removed, and the pixels stay`(source: PrivateFile) throws {
        let file = try source.data
        let bare = try MetadataRemoval.reduced(file, to: [])
        for text in PrivateFile.texts { #expect(!bare.contains(text), "\(text)") }
        let parts = try FileMetadata(of: bare)
        #expect(parts.xmp == nil && parts.iptc == nil)
        #expect((parts.exif == nil) == (source.orientation == 1 || parts.exif == nil))
        #expect(try MetadataRemoval.reduced(bare, to: []) == bare)
        try expectEqual(bare, file)
    }

    @Test(arguments: PrivateFile.all)
    func `the position is removed, and the names stay`(source: PrivateFile) throws {
        let file = try source.data
        let changed = try #require(try MetadataRemoval.withoutPosition(file))
        #expect(!changed.contains(MetadataSample.place) && !changed.contains("51,30.5N"))
        #expect(changed.contains("Rita") && changed.contains("SECRET"))
        try expectEqual(changed, file)
    }

    @Test(arguments: PrivateFile.all)
    func `names of people are kept alone, or the file has to be encoded again`(
        source: PrivateFile
    ) throws {
        let file = try source.data
        let changed: Data
        do throws(CodecError) {
            changed = try MetadataRemoval.reduced(file, to: .copyright)
        } catch {
            guard case .unsupported(let format, _) = error else { throw error }
            let isFilm = source.name == "animated.avif"
            #expect(isFilm || [.jxl, .heif].contains(format), "\(error)")
            return
        }
        #expect(changed.contains("Rita"))
        #expect(!changed.contains(MetadataSample.place) && !changed.contains("SECRET"))
        try expectEqual(changed, file)
    }

    @Test(
        arguments: PrivateFile.all.filter { !["webp", "avif", "heic", "jxl"].contains($0.ending) }
    )
    func `an optimised file loses what is private, also where it gets no smaller`(
        source: PrivateFile
    ) throws {
        let file = try source.data
        let bare = try Codecs.optimized(file, keepsMetadata: false)
        for text in PrivateFile.texts { #expect(!bare.contains(text), "\(text)") }
        try expectEqual(bare, file)
        let kept = try Codecs.optimized(file)
        #expect(kept.contains("SECRET") && kept.contains("Rita"))
        try expectEqual(kept, file)
    }

    @Test func `what cannot be removed is an error`() throws {
        let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'><metadata>x</metadata></svg>".utf8)
        #expect(throws: CodecError.unsupported(.svg, feature: "removing metadata")) {
            try MetadataRemoval.reduced(svg, to: [])
        }
        // A preview, which shows the image before it was cropped.
        var file = try PrivateFile.all.first { $0.name == "420.avif" }?.data ?? Data()
        let place = try #require(file.firstRange(of: Data("cdsc".utf8)))
        file.replaceSubrange(place, with: Data("thmb".utf8))
        #expect(throws: CodecError.unsupported(.avif, feature: "removing metadata")) {
            try MetadataRemoval.reduced(file, to: [])
        }
    }

    @Test func `a property that is not known is an error`() throws {
        var file = try Fixture(name: "420.avif").data
        let place = try #require(file.firstRange(of: Data("pixi".utf8)))
        file.replaceSubrange(place, with: Data("prvt".utf8))
        #expect(throws: CodecError.unsupported(.avif, feature: "removing metadata")) {
            try MetadataRemoval.reduced(file, to: [])
        }
    }

    @Test func `a film whose header is empty loses its texts`() throws {
        let whole = try Fixture(name: "animated.avif").data
        let head = whole.prefix(whole.withUnsafeBytes { ByteReader($0, .big).u32(at: 0) ?? 0 })
        let texts = PrivateFile.box("udta", Data("SECRET".utf8))
        let file = head + PrivateFile.box("moov", PrivateFile.box("mvhd", Data()) + texts)
        let bare = try MetadataRemoval.reduced(file, to: [])
        #expect(bare.count == file.count && !bare.contains("SECRET"))
    }

    @Test(arguments: [[0xDB, 0, 67], [0xDB, 0, 1]] as [[UInt8]])
    func `a JPEG of which a segment is cut off or too short is refused, not cut`(
        segment: [UInt8]
    ) throws {
        let file = Data([0xFF, 0xD8, 0xFF] + segment + [7, 7, 7])
        #expect(throws: CodecError.corrupt(.jpeg, detail: "a segment is cut off")) {
            try MetadataRemoval.reduced(file, to: [])
        }
    }

    @Test(arguments: PrivateFile.all.filter { $0.orientation == 6 })
    func `damaged files never trap`(source: PrivateFile) throws {
        let file = try source.data
        var random = SplitMix64(seed: 7)
        for round in 0..<80 {
            let damaged = MetadataSample.damaged(
                file,
                round: round,
                reach: file.count,
                by: &random
            )
            // Each may fail, with an error.
            _ = try? MetadataRemoval.reduced(damaged, to: [])
            _ = try? MetadataRemoval.reduced(damaged, to: .copyright)
            _ = try? MetadataRemoval.withoutPosition(damaged)
        }
    }
}

extension PrivateFile {
    fileprivate var ending: String { (name as NSString).pathExtension }
}
