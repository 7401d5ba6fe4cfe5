import Hummingbird
import Kingfisher

ProcessIsolation.runWorkerIfAsked()
let router = Router()
router.get("health") { _, _ in "ok\n" }
try await Application(router: router).runService()
