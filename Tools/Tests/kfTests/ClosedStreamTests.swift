import Foundation
import Kingfisher
import Testing

/// Runs without standard input, output or both.
@Suite(.timeLimit(.minutes(1)))
struct ClosedStreamTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
    }

    @Test func `closed standard input is reported at once`() async throws {
        let outcome = try await KFProgram.bash(#"exec "$0" get - --timeout 20 <&-"#, in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == "kf: error: cannot read standard input: Bad file descriptor\n",
            "\(outcome.errors)"
        )
    }

    @Test(arguments: [">&-", "<&- >&-"])
    func `text for closed standard output goes nowhere else`(redirection: String) async throws {
        let outcome = try await KFProgram.bash(
            #"exec "$0" get in.png -o out.png -p resize:10x10 "# + redirection,
            in: folder
        )
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == "kf: error: cannot write standard output: Bad file descriptor\n",
            "\(outcome.errors)"
        )
        #expect(KFCrossPlatformImage(data: try folder.data("out.png"))?.pixelWidth == 10)
    }

    @Test func `a run without any stream writes its file`() async throws {
        let outcome = try await KFProgram.bash(
            #""$0" get in.png -o out.png -q <&- >&- 2>&-; echo $?"#,
            in: folder
        )
        #expect(outcome.text == "0\n")
        #expect(KFCrossPlatformImage(data: try folder.data("out.png"))?.pixelWidth == 64)
    }
}
