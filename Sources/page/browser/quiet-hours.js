// The hours in which the box is less loud.

import { ask } from './ask.js';
import { $ } from './elements.js';
import { done } from './feedback.js';

export async function quietHours(change) {
	const { quiet_hours: now, origin } = await ask(change ? 'PUT' : 'GET', '/api/quiet-hours', change);
	$('quiet-from').value = now?.from ?? '';
	$('quiet-to').value = now?.to ?? '';
	$('quiet-volume').value = now?.volume ?? 20;
	$('quiet-off').hidden = !now;
	$('quiet-set-up').hidden = origin !== 'shop';
	if (change) done();
}
