// Made from Sources/Kingfisher/Kingfisher.docc/ServerUse.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Kingfisher

private func snippet() async throws {
ProcessIsolation.runWorkerIfAsked()
ProcessIsolation.settings.timeLimit = .seconds(10)
try ProcessIsolation.requireWorkers()
KingfisherManager.shared.defaultOptions += [.isolated]
}
