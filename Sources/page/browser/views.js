// One of three views at a time: payments, the day, the box.

import { $ } from './elements.js';
import { count } from './report.js';

export function show(view) {
	$('main').dataset.view = view;
	for (const button of $('nav').children) button.ariaCurrent = button.value === view ? 'page' : 'false';
	scrollTo(0, 0);
	if (view === 'day') count();
}
