import NIOCore
import SoundboxSystem

/// What a process does to stay small. For the daemon only, once, before anything else.
public enum Footprint {
    public static func keepSmall() {
        Heap.keepSmall()
        // The control socket has one client at a time; by default there would be a thread for every core.
        NIOSingletons.groupLoopCountSuggestion = 1
        NIOSingletons.blockingPoolThreadCountSuggestion = 1
    }

    /// Gives back what only the start needed.
    static func dropWhatTheStartNeeded() {
        Heap.trim()
        ProgramCode.release()
    }
}
