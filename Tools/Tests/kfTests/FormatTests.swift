import Foundation
import Kingfisher
import Testing

/// Files of formats whose libraries are loaded when they are needed.
@Suite(.timeLimit(.minutes(1)))
struct FormatTests {
    let folder: TemporaryFolder

    /// A photo of a phone, a page of a scanner, a drawing, and JPEG XL.
    private static let names = ["420.heic", "lzw.tiff", "sized.svg", "lossless.jxl"]

    init() throws {
        folder = try TemporaryFolder()
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Tests/KFCodecsTests/Fixtures").standardizedFileURL
        for name in Self.names {
            try FileManager.default.copyItem(
                at: fixtures.appending(path: name),
                to: folder.url.appending(path: name)
            )
        }
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
    }

    @Test func `photos of phones, scans, drawings and JPEG XL are converted`() async throws {
        let outcome = try await KFProgram.run(
            ["convert", "-o", "out", "--format", "jpeg"] + Self.names,
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        for name in Self.names {
            let stem = (name as NSString).deletingPathExtension
            let before = try await KFProgram.run(["info", "--json", name], in: folder)
            let after = try ImageFileInfo(data: try folder.data("out/\(stem).jpg"))
            let width = try GetTests.fields(before)["width"] as? Int
            #expect(width == Int(after.size.width), "\(name)")
        }
    }

    @Test(arguments: FormatTests.names)
    func `they are decoded by worker processes as well`(name: String) async throws {
        let outcome = try await KFProgram.run(
            ["get", name, "--isolate", "-p", "downsample:20x20", "-o", "out.png"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ImageFileInfo(data: try folder.data("out.png")).size.width <= 20)
    }

    @Test func `JPEG XL is written`() async throws {
        let outcome = try await KFProgram.run(["get", "in.png", "-o", "out.jxl"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data("out.jxl").kf.imageFormat == .JXL)
    }

    @Test(
        arguments: [
            (["info", "420.heic"], "package libheif1"),
            (["get", "420.heic", "-o", "out.png"], "package libheif1"),
            (["get", "420.heic", "--isolate", "-o", "out.png"], "package libheif1"),
            (["convert", "lzw.tiff", "-o", "out"], "package libtiff6"),
            (["show", "sized.svg"], "package librsvg2-2"),
            (["get", "in.png", "-o", "out.jxl"], "package libjxl0.7"),
            (["get", "in.png", "-o", "out.avif"], "package libavif1"),
            (["srcset", "in.png", "-o", "out", "--formats", "avif"], "package libavif1"),
        ] as [([String], String)]
    )
    func `a library that is not installed is named, with its package`(
        arguments: [String],
        package: String
    ) async throws {
        let outcome = try await runWithoutLibraries(arguments)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(package), "\(outcome.errors)")
        #expect(outcome.errors.contains("is not installed"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["srcset", "in.png", "-o", "out", "--widths", "10"], ["compare", "in.png"],
    ])
    func `a default list leaves out formats that cannot be written`(
        arguments: [String]
    ) async throws {
        let outcome = try await runWithoutLibraries(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("left out avif"), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        #expect(outcome.text.contains("webp") && !outcome.text.contains("avif"))
    }

    private func runWithoutLibraries(_ arguments: [String]) async throws -> KFProgram.Outcome {
        // The loader takes an empty file for the library, and gives up.
        let libraries = folder.url.appending(path: "libraries")
        try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
        let names =
            ["libheif.so.1", "libtiff.so.6", "librsvg-2.so.2"]
            + (7...11).map { "libjxl.so.0.\($0)" } + (13...31).map { "libavif.so.\($0)" }
        for name in names { try Data().write(to: libraries.appending(path: name)) }
        return try await KFProgram.run(
            arguments,
            in: folder,
            environment: ["LD_LIBRARY_PATH": libraries.path]
        )
    }
}
