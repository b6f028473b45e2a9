import Testing

@Suite("The names of types")
struct NameTests {
    @Test("No two files declare types of one name")
    func unique() {
        var files: [String: Set<String>] = [:]
        for module in SourceTree.modules {
            for file in SourceTree.files(of: module) {
                // Each program begins with a `Main`.
                for type in SourceTree.types(in: file.code) where type.name != "Main" {
                    files[type.name, default: []].insert("\(module)/\(file.name)")
                }
            }
        }
        #expect(files.count > 500)
        for (name, places) in files where places.count > 1 { Issue.record("\(name): \(places.sorted())") }
    }
}
