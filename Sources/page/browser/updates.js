// Staying up to date.

import { ask } from './ask.js';
import { showStatus } from './box.js';
import { $, write } from './elements.js';
import { excuse } from './feedback.js';
import { refresh } from './history.js';
import { clock } from './numbers.js';
import { forgotten, session } from './session.js';
import { setStatus } from './status.js';
import { fill, t } from './words.js';

let poll; // The long poll that is out; it can be called back.
let version = 0;
let last = null; // The highest sequence that the box has told of.
let seen = 0; // When the box answered last, by the phone's clock.

const sleep = (time, signal) => new Promise((done) => {
	setTimeout(done, time);
	signal.addEventListener('abort', done);
});

export async function watch() {
	stopWatching();
	const mine = poll = new AbortController();
	let pause = 0;
	version = 0;
	while (poll === mine) {
		try {
			const began = Date.now();
			const news = await ask('GET', `/api/events?after=${version}`, undefined, mine);
			if (poll !== mine) return;
			const same = version === news.version;
			setStatus(news.status ?? {});
			await refresh(last, news.last_sequence);
			if (poll !== mine) return;
			version = news.version;
			last = news.last_sequence;
			seen = Date.now();
			pause = 0;
			showOld();
			if (!same) showStatus();
			else if (seen - began < 500) await sleep(1000, mine.signal);
		} catch (error) {
			if (poll !== mine) return;
			if (error.word === 'sign_in') return forgotten();
			showOld(error);
			pause = Math.min(20_000, pause * 2 || 1000);
			await sleep(pause * (0.75 + Math.random() / 2), mine.signal);
		}
	}
}

export function stopWatching() {
	poll?.abort();
	poll = undefined;
}

/// A phone that wakes up, or is back in its network, asks at once.
export function wake() {
	if (session.signed_in && !document.hidden && (!$('old').hidden || Date.now() - seen > 10_000)) watch();
}

export function showOld(error) {
	const old = error || seen && Date.now() - seen > 25_000;
	const when = seen ? fill(t.asOf, clock(seen)) : '';
	const words = old ? `${excuse(error ?? { status: 0 })} ${when}` : '';
	// What is set anew is read aloud anew.
	if ($('old').textContent !== words) write('old', words);
	$('old').hidden = !old;
	write('live', old ? '' : when);
}
