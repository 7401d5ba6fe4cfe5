// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Kingfisher

private func snippet() async throws {
ProcessIsolation.runWorkerIfAsked()
}
