// How the box is, and what the shop should do.

import { $, make, write } from './elements.js';
import { number } from './numbers.js';
import { status, which } from './status.js';
import { showVolume } from './volume.js';
import { fill, t } from './words.js';

/// Faults are English. What they are about is enough to say what to do.
function about(fault) {
	return /^the volume is|hold the volume/.test(fault) ? 'volume'
		: /broker|network|session|qos|client id|topic|certificate/i.test(fault) ? 'network'
		: /clock|time server|time zone|too old/i.test(fault) ? 'clock'
		: /database|disk|storage|inbox|power cut|history/i.test(fault) ? 'storage'
		: /audio|sound|amplifier|speak|voice|recording/i.test(fault) ? 'sound' : 'box';
}

/// For each matter how bad it is ('', 'warn' or 'bad'), and what the shop should know or do.
function diagnosis(spoken) {
	const { notices_refused: refused } = status;
	// The sentence about these ends with a sender's words, which may be about anything.
	const has = (name) => spoken.some((fault) => about(fault) === name && !(refused && fault.endsWith(refused.last.reason)));
	const help = (sentence) => `${sentence} ${t.call}`;
	const fine = ['', 'OK'];
	return [
		[t.network, ...status.state !== 'online' ? ['bad', t.netOff]
			: has('network') ? ['bad', help(t.netBad)] : fine],
		[t.clock, ...['behind', 'doubtful', 'unset', 'wrong'].includes(status.clock) || has('clock') ? ['bad', t.clockBad]
			: status.clock === 'synchronised' ? fine : ['warn', t.clockUnsure]],
		[t.sound, ...status.sound === null ? ['bad', t.soundOff]
			: has('sound') ? ['bad', help(t.soundBad)]
			: status.muted ? ['bad', t.muted]
			: status.volume === 0 ? ['bad', t.howSoft]
			: status.volume < 20 ? ['warn', `${t.volume}: ${number(status.volume)}`]
			: 'quiet_volume' in status ? ['warn', fill(t.quietNow, number(status.quiet_volume))] : fine],
		...refused ? [[t.pay, 'bad', help(fill(t.refused, number(refused.count)))]] : [],
		...has('storage') ? [[t.storage, 'bad', help(t.netBad)]] : [],
		...has('box') ? [[t.box, 'warn', t.call]] : [],
	];
}

export function showStatus() {
	const spoken = [...status.faults ?? [], ...status.warnings ?? []];
	const matters = diagnosis(spoken);
	const alarms = matters.filter(([, grade]) => grade === 'bad').map(([,, sentence]) => make('p', sentence, 'note bad'));
	const words = alarms.map((each) => each.textContent).join('');
	if ($('alerts').textContent !== words) $('alerts').replaceChildren(...alarms);
	$('state').replaceChildren(...matters.flatMap(([name, grade, sentence]) => [make('dt', name, grade), make('dd', sentence)]));
	write('which', which());
	$('faults').replaceChildren(...spoken.map((fault) => make('li', fault)));
	$('words').hidden = !spoken.length;
	showVolume();
}
