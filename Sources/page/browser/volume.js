// The volume of the box.

import { ask } from './ask.js';
import { $, write } from './elements.js';
import { busy } from './feedback.js';
import { number } from './numbers.js';
import { status } from './status.js';
import { t } from './words.js';

let turning = false; // Somebody has the slider in hand: the box does not pull it away.

export function showVolume() {
	if (turning || status.volume === undefined) return;
	$('volume').value = status.volume;
	write('volume-now', number(status.volume));
	write('mute', status.muted ? t.unmute : t.mute);
	$('mute').value = status.muted ? 'unmute' : 'mute';
}

export function turn(slider) {
	turning = true;
	write('volume-now', number(slider.value));
}

export async function setVolume(volume, button) {
	await busy(button, async () => Object.assign(status, await ask('PUT', '/api/volume', { volume })));
	turning = false;
}
