import Synchronization

extension KFCrossPlatformImage {
    /// What a toolkit made of this image to paint it, made on first use and kept with the image.
    ///
    /// Safe on any thread; two threads that come first together wait for one of them.
    package func drawable<Drawable: AnyObject & Sendable>(
        orMake make: () -> Drawable?
    ) -> Drawable? {
        drawable.withLock { kept in
            if let kept = kept as? Drawable { return kept }
            let made = make()
            kept = made
            return made
        }
    }
}
