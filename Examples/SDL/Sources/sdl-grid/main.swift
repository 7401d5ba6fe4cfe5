// A grid of ten thousand images in an SDL window, from a server inside this process.
//
// The wheel scrolls. With --scroll it scrolls by itself for some seconds and ends.
import CSDL2
import Foundation
import Kingfisher
import KingfisherTesting
import SDLImages

let colors: [KFCrossPlatformColor] = [.red, .green, .blue, .yellow, .orange, .purple]
let pictures = colors.map {
    ScriptedPicture.gradient(from: $0, to: .white, width: 320, height: 240).data(as: .jpeg)
}
let server = try LoopbackServer { path, _ in
    let number = Int(path.filter(\.isNumber)) ?? 0
    return LoopbackServer.Answer(body: pictures[number % pictures.count])
}
let urls = (0..<10_000).compactMap { URL(string: server.url("/\($0).jpg")) }

guard let scene = SDLScene(title: "Kingfisher", width: 640, height: 480) else {
    print("there is no display: \(String(cString: SDL_GetError()))")
    exit(1)
}
let grid = ImageGrid(in: scene, columns: 5, side: 128, urls: urls)
var (shown, cancelled, frames) = (0, 0, 0)
grid.onEnd = { _, result in
    switch result {
    case .success: shown += 1
    // The cell was recycled.
    case .failure(let error): if error.isCancellation || error.isNotCurrentTask { cancelled += 1 }
    }
}
let scrolls = CommandLine.arguments.contains("--scroll")
scene.run {
    frames += 1
    if scrolls { grid.scrollPosition += frames < 60 ? 128 : 0 }
    return !scrolls || frames < 200
} on: { event in
    if event.type == SDL_MOUSEWHEEL.rawValue { grid.scrollPosition -= event.wheel.y * 64 }
    if event.type == SDL_WINDOWEVENT.rawValue { grid.layOut() }
}
let loaded = grid.cells.values.filter { $0.shownImage != nil }.count
print("\(shown) shown, \(cancelled) cancelled, \(loaded) of \(grid.cells.count) cells filled")
exit(loaded == grid.cells.count && shown > 0 ? 0 : 1)
