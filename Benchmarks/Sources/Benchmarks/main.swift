import SoundboxSystem

/// Every benchmark there is. A new one is a file beside this one, and a line here.
let benchmarks = [mixing, announcing, startOfSound, commitToSound, inbox, speech]

// As the daemon does it, so that its memory is what is measured.
Heap.keepSmall()
let wanted = CommandLine.arguments.dropFirst()
for benchmark in benchmarks where wanted.isEmpty || wanted.contains(benchmark.name) {
    print(benchmark.name)
    let figures = try await benchmark.run()
    let width = figures.map(\.what.count).max() ?? 0
    for figure in figures {
        print("  \(figure.what)\(String(repeating: " ", count: width - figure.what.count))  \(figure.value)")
    }
}
