import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServeTests {
    @Test func `serve becomes kf-serve, with all arguments`() async throws {
        let folder = try TemporaryFolder()
        let program = folder.path("kf-serve")
        try "#!/bin/sh\necho \"$@\"\nexit 7\n".write(
            toFile: program,
            atomically: true,
            encoding: .utf8
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let outcome = try await KFProgram.run(
            ["serve", "--check", "--config", "a b"],
            in: folder,
            environment: ["PATH": "/no/such/folder:\(folder.url.path)"]
        )
        #expect(outcome.text == "--check --config a b\n")
        #expect(outcome.status == 7)
    }

    @Test func `serve without kf-serve says where to get it`() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await KFProgram.run(
            ["serve"],
            in: folder,
            environment: ["PATH": folder.url.path]
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Scripts/serve.sh"))
        for option in ["--help", "-h"] {
            let help = try await KFProgram.run(
                ["serve", option],
                in: folder,
                environment: ["PATH": folder.url.path]
            )
            #expect(help.status == 0)
            #expect(help.text.contains("kf serve --check"), "\(help.text)")
        }
    }
}
