/// A weak reference to an object of the user's that does not promise to be `Sendable`.
///
/// `@unchecked`: the object is only handed back to the code that calls its protocol's methods,
/// which the protocol allows from any thread.
struct WeakReference: @unchecked Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject? = nil) {
        self.object = object
    }
}
