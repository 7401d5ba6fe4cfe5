import Foundation
import Testing

@testable import Kingfisher

@MainActor
@Suite
struct KFCrossPlatformViewTests {
    private final class Watcher: KFCrossPlatformView {
        var moves: [Bool] = []
        override func didMoveToWindow() { moves.append(window != nil) }
    }

    @Test func `views move between parents and are notified of their window`() {
        let window = KFCrossPlatformWindow()
        let (parent, child) = (KFCrossPlatformView(), Watcher())
        parent.addSubview(child)
        #expect(child.moves.isEmpty)
        window.addSubview(parent)
        #expect(child.window === window)
        window.addSubview(child)
        #expect(parent.subviews.isEmpty)
        #expect(child.superview === window)
        child.removeFromSuperview()
        #expect(child.moves == [true, false])
        #expect(window.subviews.count == 1)
    }

    @Test func `the centre is the middle of the frame`() {
        let view = KFCrossPlatformView(frame: CGRect(x: 0, y: 0, width: 10, height: 20))
        view.center = CGPoint(x: 50, y: 50)
        #expect(view.frame == CGRect(x: 45, y: 40, width: 10, height: 20))
        #expect(view.bounds == CGRect(x: 0, y: 0, width: 10, height: 20))
    }

    @Test func `views are keys by their identity`() {
        let (a, b) = (KFCrossPlatformView(), KFCrossPlatformView())
        #expect(a == a)
        #expect(a != b)
        #expect(Set([a, b, a]).count == 2)
        a.backgroundColor = .red
        #expect(a.backgroundColor == .red)
        #expect(b.backgroundColor == nil)
    }
}
