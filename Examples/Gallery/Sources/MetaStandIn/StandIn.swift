// The declarations of Meta, on which Adwaita for Swift builds, that the adapter uses, so that it is
// compiled without the framework.

package class ViewStorage {
    package var pointer: Any?
    package init(_ pointer: Any?) { self.pointer = pointer }
    package var opaquePointer: OpaquePointer? { pointer as? OpaquePointer }
}

package struct WidgetData {
    package init() {}
}

package protocol ViewRenderData {}

package protocol AdwaitaWidget {
    func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage
    where Data: ViewRenderData

    func update<Data>(
        _ storage: ViewStorage,
        data: WidgetData,
        updateProperties: Bool,
        type: Data.Type
    ) where Data: ViewRenderData
}
