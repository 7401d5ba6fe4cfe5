// Foundation brings URLRequest and its relatives with it on Apple's platforms; here they are a module
// of their own. Code that imports Foundation and Kingfisher alone, as request modifiers do, finds
// them all the same.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
