// What came of what was asked for.

import { write } from './elements.js';
import { duration, number } from './numbers.js';
import { forgotten } from './session.js';
import { fill, t } from './words.js';

export function excuse({ status, word, told }) {
	switch (word) {
		case 'wrong': return fill(t.wrong, number(told.left));
		case 'wait': return fill(t.wait, duration(told.retry_in));
		case 'expired': return t.expired;
		case 'quiet': return t.quiet;
		case 'muted': return t.muted;
		case 'unspeakable': return t.unspeakable;
		case 'role': return t.look;
	}
	return !status ? t.noNet : word === 'box' ? t.noBox : t.failed;
}

/// Runs what a button asks for, once at a time, and tells what came of it.
export async function busy(button, work, place) {
	if (button?.ariaBusy) return;
	if (button) button.ariaBusy = true;
	try {
		await work();
	} catch (error) {
		if (error.word === 'sign_in') forgotten();
		else say(excuse(error), place);
	} finally {
		if (button) button.ariaBusy = null;
	}
}

let silence;
export function say(sentence, place = 'said') {
	write(place, sentence);
	clearTimeout(silence);
	silence = setTimeout(write, 8000, 'said', '');
}

export const done = () => say(t.done);
