#if GTK
import CKFGTKHeaders

/// Receives the life cycle of the cells of a list; all methods are called by GTK.
protocol ListItemHandler: AnyObject {
    /// GTK has made a cell; sets its child.
    func setUp(_ item: OpaquePointer)

    /// A cell shows an item of the model from now on.
    func bind(_ item: OpaquePointer)

    /// A cell no longer shows its item.
    func unbind(_ item: OpaquePointer)

    /// GTK destroys a cell.
    func tearDown(_ item: OpaquePointer)
}

extension ListItemHandler {
    /// Makes a GtkListItemFactory that retains this object.
    ///
    /// - Returns: A reference owned by the caller; the constructors of list views take it over.
    /// - Precondition: GTK is initialised.
    func makeItemFactory() -> OpaquePointer {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        // The first view may be made in a task, which needs the loop.
        MainLoop.attach()
        guard let factory = gtk_signal_list_item_factory_new() else {
            preconditionFailure("GTK has no memory")
        }
        let address = UnsafeMutableRawPointer(factory)
        ObjectData<AnyObject>(name: "kingfisher-list").set(self, on: address)
        // Unowned: the factory owns this object.
        connect(address, "setup") { [unowned self] in setUp(OpaquePointer($0)) }
        connect(address, "bind") { [unowned self] in bind(OpaquePointer($0)) }
        connect(address, "unbind") { [unowned self] in unbind(OpaquePointer($0)) }
        connect(address, "teardown") { [unowned self] in tearDown(OpaquePointer($0)) }
        return OpaquePointer(address)
    }
}
#endif
