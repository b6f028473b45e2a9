// Stands in for the 34 MB of ICU's data that Foundation brings into a program that is linked statically: names of
// languages, calendars, collations. Nothing here asks for any of it (docs/decisions/138-without-icus-data.md). The linker
// takes an object's definition before an archive's, and so leaves the archive's out.
//
// Nothing of it is called.
#pragma once
