import Foundation
import KFCodecs
import KFPixels
import SystemPackage
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How texts quote other errors, and which details they leave out.
struct KingfisherErrorWordingTests {
    typealias Samples = KingfisherErrorTextTests

    /// An error without a description.
    private enum Wordless: Error {
        case shut(door: Int)
    }

    private func text(of error: any Error) throws -> String {
        let provider = try Samples.Subject().provider
        return KingfisherError.imageSettingError(
            reason: .dataProviderError(provider: provider, error: error)
        ).localizedDescription
    }

    /// The underlying errors of those that callers see.
    private static func reasons() throws -> [any Error] {
        let url = try Samples.Subject("https://anna:secret@host.test/a.jpg").url
        let address = "10.0.0.1"
        let transfers: [TransferError] = [
            .cancelled, .invalidRequest(reason: "it has no host", url: url),
            .unsupportedScheme("ftp", url: url), .cannotResolve(host: "host.test", url: url),
            .cannotConnect(host: "host.test", reason: "refused", url: url),
            .addressRefused(address: address, range: .privateUse, url: url),
            .tls(.certificateUntrusted, reason: "the certificate is not trusted", url: url),
            .timedOut(.idle, limit: .seconds(15), url: url),
            .tooManyRedirects(limit: 5, url: url), .redirectLoop(url: url),
            .redirectRefused(target: "ftp://anna:secret@host.test/b", url: url),
            .bodyTooLarge(limit: 9, url: url),
            .cannotKeepBody(reason: "the disk is full", url: url),
            .truncatedBody(received: 3, expected: nil, url: url),
            .connectionLost(reason: "reset", url: url), .badResponse(reason: "no status", url: url),
            .rejected(reason: ConstrainedNetworkError(), url: url),
            .curl(code: 7, message: "none", url: url),
        ]
        let codecs: [CodecError] = [
            .empty, .unknownFormat, .unsupported(.jpeg, feature: "12 bits"), .truncated(.png),
            .corrupt(.gif, detail: "no blocks"),
            .limitExceeded(.pixelCount, value: 9, allowed: 3),
            .pixels(.tooLarge(PixelSize(width: 9, height: 9))),
            .encodingFailed(.webp, detail: "no memory"),
        ]
        let key = "https://anna:secret@host.test/a.jpg"
        let disk: [DiskError] = [
            .cannotCreateDirectory(path: "/a", .permissionDenied),
            .invalidName("a/b", key: key), .cannotWrite(path: "/a", key: key, .noSpace),
            .cannotRead(path: "/a", key: key, .ioError), .cannotRemove(path: "/a", .ioError),
            .notFound(path: "/a"), .cannotList(path: "/a", .ioError),
            .cannotWriteIndex(path: "/a", .ioError), .nothingToWrite(key: key),
            .queueIsFull(key: key, waiting: 9), .cannotTransform(key: key, detail: "no tag"),
        ]
        let providers: [any Error] =
            [
                Base64ImageDataProvider.Base64ImageDataProviderError.invalidBase64,
                DataURLImageDataProvider.DataURLError.notADataURL,
                DataURLImageDataProvider.DataURLError.invalidEncoding,
            ]
            + [.invalidImageSource, .invalidThumbnail, .writeDataError, .finalizeDataError].map {
                (error: ThumbnailImageDataProvider.ThumbnailImageDataProviderError) in error
            }
        return transfers + codecs + disk + providers
            + [CancellationError(), try Samples.samples()[0].error]
    }

    /// Whether a text contains the name of a case as in the source.
    ///
    /// A name of one lowercase word counts only if a parenthesis follows it, because it is also an
    /// ordinary word.
    private func hasCaseName(_ text: String, of value: Any) -> Bool {
        let name = Mirror(reflecting: value).children.first?.label ?? "\(value)"
        return text.contains(name.contains(where: \.isUppercase) ? name : name + "(")
    }

    @Test func `underlying errors are described in words, not by the names of their cases`() throws
    {
        for reason in try Self.reasons() {
            let text = try text(of: reason)
            #expect(!hasCaseName(text, of: reason), "\(text)")
            for sign in [
                "()", "Error(", "Error.", "Optional", "Domain=", ".:", "privateUse", "..", "  ",
                ": :", "0x",
            ] {
                #expect(!text.contains(sign), "\(text)")
            }
        }
    }

    @Test func `texts name no cases of their own`() throws {
        for sample in try Samples.samples() {
            let text = sample.error.localizedDescription
            let reason = try #require(Mirror(reflecting: sample.error).children.first?.value)
            let inner = Mirror(reflecting: reason).children.first?.value ?? reason
            #expect(!hasCaseName(text, of: inner), "\(text)")
            #expect(!text.contains("<") && !text.contains(" Kingfisher."), "\(text)")
        }
    }

    @Test func `an error without a description is named by its type and case`() throws {
        let text = try text(of: Wordless.shut(door: 7))
        #expect(text.contains("failed: Wordless.shut(door: 7). Check"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a missing file is named`() async throws {
        let file = URL(fileURLWithPath: "/no/such/file.png")
        let provider: any ImageDataProvider = LocalFileImageDataProvider(fileURL: file)
        let error = await #expect(throws: (any Error).self) { try await provider.data() }
        let text = try text(of: try #require(error))
        #expect(text.contains("/no/such/file.png: The file doesn’t exist. Check"))
    }

    @Test func `passwords in URLs and keys are left out`() throws {
        let subject = try Samples.Subject(
            "https://anna:secret@host.test/a.jpg",
            key: "https://anna:secret@host.test/a.jpg"
        )
        for sample in try Samples.samples(subject) {
            let text = sample.error.localizedDescription
            #expect(!text.contains("secret") && !text.contains("anna"), "\(text)")
            #expect(sample.names != subject.key || text.contains("https://host.test/a.jpg"))
        }
        for reason in try Self.reasons() {
            #expect(!(try text(of: reason)).contains("secret"))
        }
    }

    @Test(
        arguments: [
            ("https://anna:secret@host/a", "https://host/a"),
            ("https://token@host", "https://host"),
            ("“https://a:b@h/x” and “ftp://c:d@i/y”", "“https://h/x” and “ftp://i/y”"),
            ("https://a:p@ss@host/a", "https://host/a"),
            ("https://host/a.jpg@round(8)", "https://host/a.jpg@round(8)"),
            ("https://host/a?mail=x@y", "https://host/a?mail=x@y"),
            ("mail x@y, see a://b", "mail x@y, see a://b"),
            ("", ""), ("://", "://"), ("://@", "://"),
        ]
    )
    func `names and passwords are taken out of a text`(text: String, cleaned: String) {
        #expect(text.withoutUsers == cleaned)
    }
}
