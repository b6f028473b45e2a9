// Stands in for the 34 MB of ICU's data that Foundation brings into a program that is linked statically: names of
// languages, calendars, collations. Nothing here asks for any of it. The linker takes an object's definition before
// an archive's, and so leaves the archive's out.
//
// Before a dependency is added or updated, run the program in a debugger with a breakpoint on doOpenChoice, through
// which ICU asks for its data: where something asks, Foundation may end the process.
//
// Nothing of it is called.
#pragma once
