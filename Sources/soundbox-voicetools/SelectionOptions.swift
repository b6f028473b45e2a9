import ArgumentParser
import SoundboxWorkshop

/// Which entries of a voice are to be recorded; the same for the script and the import, so that they agree.
struct SelectionOptions: ParsableArguments {
    @Flag(help: "Only phrases without a recording.")
    var missing = false

    @Flag(help: "Only phrases that no person has spoken: the missing ones and the synthesiser's.")
    var synthesized = false

    func validate() throws {
        guard !(missing && synthesized) else { throw ValidationError("Give either --missing or --synthesized.") }
    }

    var selection: RecordingScript.Selection { synthesized ? .notSpokenByPerson : missing ? .missing : .all }
}
