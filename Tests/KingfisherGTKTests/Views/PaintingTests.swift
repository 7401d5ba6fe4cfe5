#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    @Suite(.timeLimit(.minutes(1)))
    struct PaintingTests {
        @Test func `an image is painted`() async throws {
            let view = try makeView()
            view.image = .solid(.pureRed)
            let stage = Stage(view.widget)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
        }

        @Test func `contained, it keeps its ratio; covering, it fills`() async throws {
            let view = try makeView()
            view.image = .solid(.pureRed, width: 40, height: 10)
            view.hasNaturalSize = false
            let stage = Stage(view.widget, width: 100, height: 100)
            await stage.paint()
            var shown = try #require(stage.capture())
            #expect(shown.center.isNear(.pureRed))
            #expect(!shown[shown.width / 2, 5].isNear(.pureRed))
            view.fit = .cover
            await stage.paint()
            shown = try #require(stage.capture())
            #expect(shown[shown.width / 2, 5].isNear(.pureRed))
            #expect(shown[2, shown.height - 3].isNear(.pureRed))
        }

        @Test func `an image that fits is painted on whole pixels`() async throws {
            let view = try makeView()
            view.hasNaturalSize = false
            let stage = Stage(view.widget, width: 80, height: 100)
            let (width, height) = (stage.pixels(80), stage.pixels(40) + 1)
            // An odd height centred in an even one, and a width changed by rounding.
            var rows = Data()
            for row in 0..<height {
                let pixel: [UInt8] = row % 2 == 0 ? [255, 0, 0, 255] : [0, 0, 255, 255]
                for _ in 0..<width { rows.append(contentsOf: pixel) }
            }
            view.image = KFCrossPlatformImage(
                premultipliedRGBA: rows,
                width: width,
                height: height
            )
            await stage.paint()
            let column = try #require(stage.capture()).column(40)
            #expect(column.count { $0.isNear(.pureRed) } == height / 2 + 1)
            #expect(column.count { $0.isNear(.pureBlue) } == height / 2)
        }

        @Test func `a foreign view is painted like an own one`() async throws {
            _ = try makeView()
            let widget = try #require(gtk_picture_new())
            let stage = Stage(widget)
            kf(OpaquePointer(widget)).image = .solid(.pureBlue)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureBlue))
            #expect(kf(OpaquePointer(widget)).image != nil)
        }

        @Test func `the spinner is painted in the colour of text, and moves`() async throws {
            let view = try makeView()
            view.hasNaturalSize = false
            let stage = Stage(view.widget)
            await stage.paint()
            let background = try #require(stage.capture())[2, 2]
            #expect(try #require(stage.capture()).count(differingFrom: background) == 0)
            view.kf.indicator = .spinner
            view.controller.content.loadWillStart()
            await stage.run { view.controller.canvas.spinnerColor != nil }
            await stage.paint()
            let painted = try #require(stage.capture()).count(differingFrom: background)
            #expect(painted > 50)
            let phase = view.controller.canvas.spinnerPhase
            await stage.run { view.controller.canvas.spinnerPhase != phase }
            view.controller.content.loadDidEnd()
            await stage.paint()
            #expect(try #require(stage.capture()).count(differingFrom: background) == 0)
        }

        @Test func `the spinner of a load appears after a moment, that of a fast load never`()
            throws
        {
            let view = try makeView()
            let controller = view.controller
            view.kf.indicator = .spinner
            var isShown: Bool { controller.canvas.spinnerColor != nil }
            controller.content.loadWillStart()
            controller.frameBegins(at: 100)
            controller.frameBegins(at: 100.1)
            #expect(!isShown)
            controller.content.loadDidEnd()
            controller.frameBegins(at: 100.2)
            #expect(!isShown)
            controller.content.loadWillStart()
            controller.frameBegins(at: 200)
            #expect(!isShown)
            controller.frameBegins(at: 200.2)
            #expect(isShown)
            controller.content.loadDidEnd()
            #expect(!isShown)
        }

        @Test func `a widget stands in until there is an image, and again without one`()
            async throws
        {
            let view = ImageView()
            let button = try #require(gtk_button_new())
            view.kf.placeholderWidget = button
            let stage = Stage(view.widget)
            await stage.paint()
            #expect(gtk_widget_get_mapped(button) != 0)
            let empty = try #require(stage.capture())
            view.kf.image = .solid(.pureRed, width: 200, height: 160)
            await stage.paint()
            #expect(gtk_widget_get_mapped(button) == 0)
            #expect(stage.capture()?.center.isNear(.pureRed) == true)
            view.kf.image = nil
            await stage.paint()
            #expect(gtk_widget_get_mapped(button) != 0)
            let again = try #require(stage.capture())
            #expect(
                again.count(differingFrom: empty.center) == empty.count(differingFrom: empty.center)
            )
            // The border of the button is painted.
            #expect(empty.count(differingFrom: empty.center) > 100)
        }

        @Test func `a placeholder widget may be replaced, taken away, and ends with its view`()
            async throws
        {
            var view: ImageView! = ImageView()
            let stage = Stage(view.widget)
            let first = try #require(gtk_label_new("first"))
            let second = try #require(gtk_label_new("second"))
            view.kf.placeholderWidget = first
            await stage.paint()
            view.kf.placeholderWidget = second
            await stage.paint()
            #expect(gtk_widget_get_mapped(second) != 0)
            #expect(gtk_widget_get_width(second) == gtk_widget_get_width(view.widget))
            gtk_widget_unparent(second)
            await stage.paint()
            view.kf.placeholderWidget = nil
            await stage.paint()
            let third = try #require(gtk_label_new("third"))
            g_object_ref(third)
            view.kf.placeholderWidget = third
            await stage.paint()
            view = nil
            stage.close()
            // GTK warns of children that a widget still has when it is finalized.
            await Stage.run { gtk_widget_get_parent(third) == nil }
            g_object_unref(third)
        }

        @Test func `an indicator image lies over the image while it loads`() async throws {
            let view = try makeView()
            view.image = .solid(.pureRed)
            let size = CGSize(width: 20, height: 20)
            view.kf.indicator = .image(.solid(.pureGreen), size: size)
            let stage = Stage(view.widget)
            view.controller.content.loadWillStart()
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            view.controller.content.loadDidEnd()
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
        }

        @Test func `a fade passes through mixtures, never backwards`() async throws {
            let view = try makeView()
            view.image = .solid(.black)
            let stage = Stage(view.widget)
            await stage.paint()
            var isOver = false
            var options = KingfisherParsedOptionsInfo(nil)
            options.transition = .fade(0.3)
            view.controller.content.transition(to: .solid(.pureBlue), options: options) {
                isOver = true
            }
            var seen: [Int] = []
            await stage.run {
                if let blue = stage.capture()?.center.blue { seen.append(Int(blue)) }
                return isOver
            }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureBlue))
            #expect(seen == seen.sorted())
            #expect(Set(seen).filter { (20...235).contains($0) }.count >= 3)
        }

        @Test func `a flip shows the old side, then the new one`() async throws {
            let view = try makeView()
            view.image = .solid(.pureRed)
            let stage = Stage(view.widget)
            await stage.paint()
            let canvas = view.controller.canvas
            canvas.beginTransition(to: .solid(.pureGreen), KF_TRANSITION_FLIP_VERTICAL_AXIS)
            canvas.progress = 0.25
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
            canvas.progress = 0.75
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
        }

        private func makeView() throws -> ImageView {
            try #require(gtk_init_check() != 0)
            return ImageView()
        }
    }
}
#endif
