// The shop's page: what the box takes, as it comes, and what may be changed.

import { ask } from './ask.js';
import { showStatus } from './box.js';
import { $, make } from './elements.js';
import { busy, done, excuse, say } from './feedback.js';
import { open, paintAll, replay } from './history.js';
import { quietHours } from './quiet-hours.js';
import { count } from './report.js';
import { filter } from './search.js';
import { session } from './session.js';
import { leave, sayCode, signIn, signOut, start } from './sign-in.js';
import { showOld, wake } from './updates.js';
import { show } from './views.js';
import { setVolume, turn } from './volume.js';
import { LANGUAGES, remembered, translate } from './words.js';

async function changeLanguage({ value }) {
	try {
		await translate(value);
		remembered(value);
	} catch (error) {
		$('language').value = document.documentElement.lang;
		return say(excuse(error));
	}
	if (!session.signed_in) return;
	paintAll();
	filter();
	count();
	showOld();
	showStatus();
}

function wire() {
	const on = (event, works) => {
		for (const [id, work] of Object.entries(works)) $(id).addEventListener(event, (happening) => {
			if (event === 'submit') happening.preventDefault();
			work(happening.target, happening);
		});
	};
	for (const each of LANGUAGES) {
		const option = make('option', new Intl.DisplayNames([each], { type: 'language' }).of(each));
		option.value = option.lang = each;
		$('language').append(option);
	}
	on('click', {
		'say-code': sayCode,
		'sign-out': signOut,
		nav: (button) => button.value && show(button.value),
		today: () => open('today'),
		yesterday: () => open('yesterday'),
		list: replay,
		print: () => print(),
		mute: (button) => setVolume(button.value, button).then(showStatus),
		trial: (button) => busy(button, () => ask('POST', '/api/trial', {}).then(done)),
		'quiet-off': (button) => busy(button, () => quietHours({ off: true })),
		'quiet-set-up': (button) => busy(button, () => quietHours({ as_set_up: true })),
	});
	on('submit', {
		'sign-form': signIn,
		'search-form': filter,
		'quiet-form': (form, { submitter }) => busy(submitter, () => quietHours({
			from: $('quiet-from').value, to: $('quiet-to').value, volume: Number($('quiet-volume').value),
		})),
	});
	on('input', { search: filter, volume: turn });
	on('change', {
		language: changeLanguage,
		date: (field) => field.value && open(field.value),
		volume: (slider) => setVolume(Number(slider.value)).then(showStatus),
		'with-list': (box) => document.body.classList.toggle('with-list', box.checked),
	});
	addEventListener('forgotten', leave);
	addEventListener('offline', showOld);
	for (const event of ['online', 'pageshow']) addEventListener(event, wake);
	document.addEventListener('visibilitychange', wake);
	setInterval(() => session.signed_in && $('old').hidden && showOld(), 5000);
}

wire();
start();
