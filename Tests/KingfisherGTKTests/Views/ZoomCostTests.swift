#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// What a very large image costs in a view that enlarges it.
    @Suite(.timeLimit(.minutes(1)))
    struct ZoomCostTests {
        @Test func `a hundred megapixels zoom and move in 200 MB`() async throws {
            try #require(gtk_init_check() != 0)
            let bench = try TestBench()
            let side = 10_000
            bench.server.route("/huge.jpg", .body(Self.grey(side), type: "image/jpeg"))
            let view = KFZoomView()
            let stage = Stage(view.widget, width: 1_000, height: 700)
            await stage.paint()
            let before = ProcessCosts.resident
            try ProcessCosts.resetPeak()
            var size = CGSize.zero
            view.state.load(.network(bench.server.url("/huge.jpg")), [], by: bench.manager) {
                if case .success(let found) = $0 { size = found }
                LoopEvents.wake()
            }
            await stage.run { size.width > 0 }
            #expect(size == CGSize(width: side, height: side))
            let middle = CGPoint(x: 500, y: 350)
            // In by a factor of 29, along the diagonal, and out again.
            await move(stage, frames: 50) { view.state.change { $0.zoom(by: 1.07, at: middle) } }
            await stage.run { view.state.detail != nil }
            await move(stage, frames: 50) { view.state.change { $0.move(by: -20, -20) } }
            await move(stage, frames: 50) {
                view.state.change { $0.zoom(by: 1 / 1.07, at: middle) }
            }
            #expect(ProcessCosts.peak - before <= 200_000_000)
        }

        private func move(_ stage: Stage, frames: Int, _ step: @escaping () -> Void) async {
            guard let clock = gtk_widget_get_frame_clock(stage.window) else { return }
            var left = frames
            let source = UnsafeMutableRawPointer(clock)
            let handler = connect(source, "update") {
                step()
                left -= 1
            }
            await stage.run { left <= 0 }
            g_signal_handler_disconnect(source, gulong(handler))
        }

        /// A grey JPEG without contents: each block of 8 × 8 pixels is two bits of zero.
        private static func grey(_ side: Int) -> Data {
            let blocks = (side / 8) * (side / 8)
            func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
            var file: [UInt8] = [0xFF, 0xD8]
            file += [0xFF, 0xDB] + bytes(67) + [0] + [UInt8](repeating: 1, count: 64)
            file += [0xFF, 0xC0] + bytes(11) + [8] + bytes(side) + bytes(side) + [1, 1, 0x11, 0]
            // One code of one bit in each table: a difference of zero, and the end of the block.
            for table: UInt8 in [0x00, 0x10] {
                let counts = [1] + [UInt8](repeating: 0, count: 15)
                file += [0xFF, 0xC4] + bytes(20) + [table] + counts + [0]
            }
            file += [0xFF, 0xDA] + bytes(8) + [1, 1, 0, 0, 63, 0]
            file += [UInt8](repeating: 0, count: (blocks * 2 + 7) / 8)
            return Data(file + [0xFF, 0xD9])
        }
    }
}
#endif
