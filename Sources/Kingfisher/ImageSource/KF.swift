/// The entry points of the builder style, and a namespace.
public enum KF {}
