// Replaces the 34 MB of ICU's data that Foundation adds to a statically linked program: names of languages, calendars,
// collations. Nothing here uses them. The linker takes an object's definition before an archive's, and leaves the
// archive's out.
//
// Before a dependency is added or updated, run the program in a debugger with a breakpoint on doOpenChoice, the
// function through which ICU loads its data: if something calls it, Foundation may end the process.
//
// No function of it is called.
#pragma once
