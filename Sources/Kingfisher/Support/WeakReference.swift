/// A weak reference to an object of the caller that need not be `Sendable`.
///
/// `@unchecked`: the object is only passed to code that calls its protocol's methods, which the
/// protocol allows on any thread.
struct WeakReference: @unchecked Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject? = nil) {
        self.object = object
    }
}
