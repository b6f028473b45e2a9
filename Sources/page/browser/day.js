// The day that is shown: what has come of its payments.

export const day = {
	name: 'today',
	opened: 0, // Counts what was opened: a late answer for another day is dropped.
	range: {},
	complete: false,
	entries: new Map(), // By sequence.
	rows: new Map(),
	order: [], // Sequences, highest first.
};
