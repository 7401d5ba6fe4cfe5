#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Transitions at times chosen by the tests, independent of the window's frames.
    @Suite(.timeLimit(.minutes(1)))
    struct TransitionTests {
        init() throws {
            try #require(gtk_init_check() != 0)
        }

        @Test(arguments: [(0.25, 64), (0.5, 128), (0.75, 191)])
        func `a fade mixes by the share of its time`(share: Double, blue: Int) async throws {
            let scene = await Scene(.black, .fade(2), to: .pureBlue)
            let shown = try await scene.picture(at: 2 * share)
            #expect(abs(Int(shown.center.blue) - blue) <= 4)
            #expect(shown.center.red == 0)
        }

        @Test(arguments: [ImageTransition.flipFromLeft(2), .flipFromRight(2)])
        func `a flip on the vertical axis turns the old side away and the new one in`(
            transition: ImageTransition
        ) async throws {
            let scene = await Scene(.pureRed, transition, to: .pureGreen)
            let turning = try await scene.picture(at: 0.8)
            #expect(turning.center.isNear(.pureRed))
            #expect(turning[turning.width / 2, 1].isNear(.pureRed))
            #expect(!turning[1, turning.height / 2].isNear(.pureRed))
            let turned = try await scene.picture(at: 1.2)
            #expect(turned.center.isNear(.pureGreen))
            #expect(!turned[1, turned.height / 2].isNear(.pureGreen))
        }

        @Test(arguments: [ImageTransition.flipFromTop(2), .flipFromBottom(2)])
        func `a flip on the horizontal axis turns the old side away and the new one in`(
            transition: ImageTransition
        ) async throws {
            let scene = await Scene(.pureRed, transition, to: .pureGreen)
            let turning = try await scene.picture(at: 0.8)
            #expect(turning.center.isNear(.pureRed))
            #expect(turning[1, turning.height / 2].isNear(.pureRed))
            #expect(!turning[turning.width / 2, 1].isNear(.pureRed))
            let turned = try await scene.picture(at: 1.2)
            #expect(turned.center.isNear(.pureGreen))
            #expect(!turned[turned.width / 2, 1].isNear(.pureGreen))
        }

        @Test func `the caller's transition moves both images`() async throws {
            let push = ImageTransition.custom(duration: 2) { progress in
                var frame = TransitionFrame()
                frame.old.offset.x = -progress
                frame.new.offset.x = 1 - progress
                return frame
            }
            let scene = await Scene(.pureRed, push, to: .pureGreen)
            for share in [0.25, 0.5, 0.75] {
                let shown = try await scene.picture(at: 2 * share)
                let edge = Int(Double(shown.width) * (1 - share))
                #expect(shown[edge - 3, 40].isNear(.pureRed))
                #expect(shown[edge + 3, 40].isNear(.pureGreen))
            }
        }

        @Test func `the caller's transition scales, turns, hides and stacks`() async throws {
            let scene = await Scene(
                .pureRed,
                .custom(duration: 4) { progress in
                    var frame = TransitionFrame()
                    switch progress {
                    case 0..<0.25: frame.new.scale = CGSize(width: 0.5, height: 0.5)
                    case 0.25..<0.5: frame.new.opacity = 0
                    case 0.5..<0.75:
                        frame.new.scale = CGSize(width: 1, height: 0.25)
                        frame.new.rotation = 90
                    default: frame.isOldInFront = true
                    }
                    return frame
                },
                to: .pureGreen
            )
            let scaled = try await scene.picture(at: 0.5)
            #expect(scaled.center.isNear(.pureGreen))
            #expect(scaled[5, 5].isNear(.pureRed))
            #expect(try await scene.picture(at: 1.5).center.isNear(.pureRed))
            let turned = try await scene.picture(at: 2.5)
            #expect(turned[turned.width / 2, 2].isNear(.pureGreen))
            #expect(turned[2, turned.height / 2].isNear(.pureRed))
            #expect(try await scene.picture(at: 3.5).center.isNear(.pureRed))
            #expect(try await scene.picture(at: 4).center.isNear(.pureGreen))
        }

        @Test func `the completion comes with the last frame, once`() async throws {
            let scene = await Scene(.pureRed, .fade(2), to: .pureGreen)
            _ = try await scene.picture(at: 1.99)
            #expect(scene.completions == 0)
            let shown = try await scene.picture(at: 2)
            #expect(shown.center.isNear(.pureGreen))
            _ = try await scene.picture(at: 3)
            #expect(scene.completions == 1)
        }

        @Test func `another image ends a transition that runs`() async throws {
            let scene = await Scene(.pureRed, .fade(2), to: .pureGreen)
            _ = try await scene.picture(at: 1)
            scene.view.image = .solid(.pureBlue)
            #expect(scene.completions == 1)
            #expect(try await scene.picture(at: 1.1).center.isNear(.pureBlue))
        }

        @Test func `where animations are turned off the image is there at once`() async throws {
            var calls = 0
            let transition = ImageTransition.custom(duration: 2) { _ in
                calls += 1
                return TransitionFrame()
            }
            let scene = await Scene(.pureRed, transition, to: .pureGreen, isAnimated: false)
            #expect(scene.completions == 1)
            #expect(calls == 0)
            #expect(try await scene.picture(at: 0).center.isNear(.pureGreen))
        }
    }
}

/// A view of 120 × 80 in the middle of a transition.
private final class Scene {
    let view = ImageView()
    private(set) var completions = 0
    private let stage: Stage
    private let start = 1_000.0

    init(
        _ old: RGBA,
        _ transition: ImageTransition,
        to new: RGBA,
        isAnimated: Bool = true
    ) async {
        view.hasNaturalSize = false
        view.fit = .fill
        view.image = .solid(old)
        stage = Stage(view.widget, width: 120, height: 80)
        await stage.paint()
        var options = KingfisherParsedOptionsInfo(nil)
        options.transition = transition
        stage.setAnimations(enabled: isAnimated)
        view.controller.content.transition(to: .solid(new), options: options) { [weak self] in
            self?.completions += 1
        }
        stage.setAnimations(enabled: true)
        view.controller.sight.watch?.stopTicking(ObjectIdentifier(view.controller))
        view.controller.frameBegins(at: start)
    }

    /// The painted result some seconds after the transition's first frame.
    func picture(at seconds: Double) async throws -> Capture {
        view.controller.frameBegins(at: start + seconds)
        await stage.paint()
        return try #require(stage.capture())
    }
}
#endif
