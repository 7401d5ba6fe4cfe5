import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Files at paths from callers are read with limits.
@Suite(.timeLimit(.minutes(1)))
struct RegularFileTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test(arguments: [0, 1, 4_095, 70_000])
    func `a file is read to its end`(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let path = folder.file("file").path
        try data.write(to: folder.file("file"))
        #expect(try RegularFile.read(path, maxBytes: 70_000) == data)
        let (head, size) = try RegularFile.readHead(path, count: 100)
        #expect(head == data.prefix(100))
        #expect(size == count)
    }

    @Test func `a file whose size is not known before is read to its end`() throws {
        // Files of procfs have a size of 0.
        #expect(try !RegularFile.read("/proc/self/status", maxBytes: 1 << 20).isEmpty)
        #expect(throws: LocalFileError.self) {
            try RegularFile.read("/proc/self/status", maxBytes: 10)
        }
    }

    @Test func `a file above the limit is refused before it is read`() async throws {
        // A sparse file of 5 GB takes no disk space; reading it would take minutes and all memory.
        let file = folder.file("large")
        try Data().write(to: file)
        #expect(truncate(file.path, 5_000_000_000) == 0)
        let provider: any ImageDataProvider = LocalFileImageDataProvider(fileURL: file)
        let error = await #expect(throws: LocalFileError.self) { try await provider.data() }
        #expect(
            error
                == .tooLarge(path: file.path, bytes: 5_000_000_000, allowed: 256 << 20)
        )
        #expect(KFCrossPlatformImage(contentsOfFile: file.path) == nil)
        #expect(throws: ImageFileInfo.Failure.self) { try ImageFileInfo(contentsOf: file) }
    }

    @Test func `the header of a file is read, and no more`() throws {
        let file = folder.file("large.png")
        try TestImage.png(width: 30, height: 20).write(to: file)
        #expect(truncate(file.path, 5_000_000_000) == 0)
        #expect(try ImageFileInfo(contentsOf: file).size == CGSize(width: 30, height: 20))
        let animation = folder.file("a.gif")
        try TestImage.gif.write(to: animation)
        #expect(try ImageFileInfo(contentsOf: animation) == ImageFileInfo(data: TestImage.gif))
    }

    @Test func `pipes, devices and folders are refused at once`() async throws {
        let pipe = folder.file("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/zero", folder.url.path] {
            let url = URL(fileURLWithPath: path)
            let provider: any ImageDataProvider = LocalFileImageDataProvider(fileURL: url)
            let error = await #expect(throws: LocalFileError.self) { try await provider.data() }
            guard case .notRegular = error else {
                Issue.record("\(path): \(String(describing: error))")
                continue
            }
            #expect(error?.localizedDescription.contains("regular file") == true)
        }
    }

    @Test func `a missing file is Foundation's error`() async throws {
        let url = folder.file("none")
        let provider: any ImageDataProvider = LocalFileImageDataProvider(fileURL: url)
        let error = await #expect(throws: CocoaError.self) { try await provider.data() }
        #expect(error?.code == .fileReadNoSuchFile)
    }
}
