// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let file = URL(fileURLWithPath: "/home/user/paper.pdf")
let info = try await PDFDocumentInfo(contentsOf: file, password: "secret")
print(info.pageCount, info.pageSize)
}
