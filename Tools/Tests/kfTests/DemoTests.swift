import Foundation
import Kingfisher
import Testing

/// `kf demo`, which checks itself: it fails if an image comes from an unexpected place.
@Suite(.timeLimit(.minutes(2)))
struct DemoTests {
    @Test func `it loads everything three ways and makes a contact sheet`() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await KFProgram.run(["demo"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for column in ["variant", "first time", "again", "memory emptied"] {
            #expect(outcome.text.contains(column))
        }
        for picture in ["dawn.jpg", "lake.jpg", "kingfisher.png"] {
            #expect(outcome.text.contains(picture))
        }
        let sheet = try folder.data("kingfisher-demo.png")
        #expect(sheet.kf.imageFormat == .PNG)
        let image = try #require(KFCrossPlatformImage(data: sheet))
        #expect(image.pixelWidth > 600)
        #expect(image.pixelHeight > 1000)
        #expect(try folder.files() == ["kingfisher-demo.png"])
    }

    @Test func `an image that cannot be loaded fails the demonstration by name`() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await KFProgram.run(
            ["demo", "http://127.0.0.1:9/gone.jpg", "-o", "sheet.png"],
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("gone.jpg"))
        #expect(outcome.text.contains("failed"))
    }

    @Test func `as JSON the demonstration is one line, errors included`() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await KFProgram.run(
            ["demo", "http://127.0.0.1:9/gone.jpg", "-o", "sheet.png", "--json"],
            in: folder
        )
        #expect(outcome.status == 1)
        let fields = try GetTests.fields(outcome)
        #expect(fields["output"] as? String == "sheet.png")
        let loads = try #require(fields["loads"] as? [[String: Any]])
        let passes = try #require(loads.first?["passes"] as? [[String: Any]])
        #expect(passes.count == 3)
        #expect(passes.allSatisfy { ($0["error"] as? String)?.hasPrefix("error") == true })
    }
}
