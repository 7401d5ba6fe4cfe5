// On Apple's platforms Foundation contains URLRequest and related types; on Linux they are in a
// separate module. Exporting it lets code such as request modifiers compile with Foundation and
// Kingfisher imported alone.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
