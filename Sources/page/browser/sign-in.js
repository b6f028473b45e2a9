// Signing in, and out.

import { ask, trouble } from './ask.js';
import { $, write } from './elements.js';
import { busy } from './feedback.js';
import { clearDay, open } from './history.js';
import { duration } from './numbers.js';
import { quietHours } from './quiet-hours.js';
import { session } from './session.js';
import { showOld, stopWatching, watch } from './updates.js';
import { show } from './views.js';
import { fill, preload, t, translate } from './words.js';

export async function start() {
	preload();
	try {
		Object.assign(session, await ask('GET', '/api/session'));
		await translate();
		$('plain').hidden = session.https;
		showOld();
		if (session.signed_in) enter(); else leave();
	} catch (error) {
		await translate().then(() => showOld(error), () => showOld(trouble(0)));
		setTimeout(start, 3000);
	}
}

function enter() {
	document.body.dataset.role = session.role;
	show('pay');
	open('today');
	watch();
	if (session.role === 'change') quietHours().catch(() => {});
}

export function leave() {
	stopWatching();
	clearDay();
	session.signed_in = false;
	document.body.dataset.role = 'none';
	show('');
	$('old').hidden = true;
	$('alerts').replaceChildren();
}

export const sayCode = (button) => busy(button, async () => {
	const { expires_in: left } = await ask('POST', '/api/code', {});
	write('sign-said', fill(t.saying, duration(left)));
	$('code').value = '';
	$('code').focus();
}, 'sign-said');

export const signIn = (form, { submitter }) => busy(submitter, async () => {
	Object.assign(session, await ask('POST', '/api/session', { code: $('code').value, role: form.role.value }));
	$('code').value = '';
	write('sign-said', '');
	enter();
	$('main').focus();
}, 'sign-said');

export const signOut = (button) => busy(button, () => ask('DELETE', '/api/session').then(leave));
