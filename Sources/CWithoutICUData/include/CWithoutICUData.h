// Stands in for the 34 MB of ICU's data that Foundation brings into a program that is linked statically: names of
// languages, calendars, collations. Nothing here asks for any of it. The linker takes an object's definition before
// an archive's, and so leaves the archive's out. Before a dependency is added or updated, run the program under a debugger
// with a breakpoint on doOpenChoice, through which ICU asks for data: without it Foundation may end the process.
//
// Nothing of it is called.
#pragma once
