import ArgumentParser
import SoundboxWorkshop

/// The entries of a voice to record. Script and import use the same options, so that they match.
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
