// The payments of a day, the newest first.

import { ask } from './ask.js';
import { day } from './day.js';
import { $, make, write } from './elements.js';
import { busy, done, excuse } from './feedback.js';
import { money, number, shopTime } from './numbers.js';
import { count, countSoon } from './report.js';
import { filter } from './search.js';
import { status } from './status.js';
import { called, t } from './words.js';

let first; // The first page of the day.
let failed = false; // To be read; the next event tries again.

const waits = (entry) => entry.state === 'received' || entry.state === 'announcing';
const page = (query) => ask('GET', `/api/history?day=${day.name}&${query}`);

export function clearDay() {
	day.opened += 1;
	day.entries.clear();
	day.rows.clear();
	day.order = [];
	day.range = {};
	day.complete = failed = false;
	for (const id of ['list', 'sum', 'span', 'totals', 'hours', 'hours-sum']) $(id).replaceChildren();
}

/// The newest come first, so that something is there at once.
export async function open(which) {
	clearDay();
	day.name = which;
	$('today').ariaPressed = day.name === 'today';
	$('yesterday').ariaPressed = day.name === 'yesterday';
	$('csv').href = `/api/export.csv?day=${day.name}`;
	$('date').value = day.name > '9' ? '' : day.name;
	write('loading', t.loading);
	const mine = day.opened;
	try {
		for (let reply = first = page('limit=60'); reply;) {
			const got = await reply;
			if (mine !== day.opened) return;
			if (!day.range.from) count();
			day.range = got;
			merge(got.entries);
			reply = got.next && page(`limit=100&before=${got.next}`);
		}
		day.complete = true;
		filter();
		count();
	} catch (error) {
		if (mine !== day.opened) return;
		failed = true;
		write('loading', error.word === 'undated' ? t.noDay : excuse(error));
	}
}

/// After an event: what is new, and what has become of what waited.
export async function refresh(before, now) {
	const mine = day.opened;
	if (failed) return void open(day.name);
	if (day.name !== 'today') return;
	if (now < before || Date.parse(status.at) >= Date.parse(day.range.to)) return void open(day.name);
	await first.catch(() => 0); // What is older comes by itself.
	if (mine !== day.opened || failed) return;
	const top = day.order[0] ?? 0;
	const oldest = day.order.findLast((sequence) => waits(day.entries.get(sequence)));
	if (before === now && !oldest) return;
	const found = [];
	let lowest = 0;
	for (let next = 'limit=50'; next;) {
		const got = await page(next);
		if (mine !== day.opened) return;
		if (day.range.from && got.from !== day.range.from) return void open(day.name);
		found.push(...got.entries);
		lowest = got.entries.at(-1)?.sequence ?? 0;
		next = lowest > top && got.next && `limit=100&before=${got.next}`;
	}
	merge(found.reverse());
	// Those that wait end in their order: the oldest have changed.
	if (oldest < lowest) {
		const got = await page(`limit=60&before=${oldest + 51}`);
		if (mine === day.opened) merge(got.entries);
	}
	if (before !== null) tell(found.filter((entry) => entry.sequence > top).reverse());
	filter();
	countSoon();
}

function tell(fresh) {
	for (const entry of fresh) day.rows.get(entry.sequence).classList.add('fresh');
	const sentences = fresh.slice(0, 3).map((entry) =>
		`${wordBefore(entry) || t.fresh}: ${amountOf(entry)} ${called(entry.channel ?? '')}`);
	if (fresh.length > 3) sentences.push(`+${number(fresh.length - 3)}`);
	if (fresh.length) write('heard', sentences.join('. '));
}

function merge(list) {
	for (const entry of list) {
		const known = day.entries.get(entry.sequence);
		day.entries.set(entry.sequence, entry);
		if (!known) insert(entry);
		else if (known.state !== entry.state || known.how !== entry.how) paint(day.rows.get(entry.sequence), entry);
	}
}

/// One row goes where it belongs, the others stay.
function insert(entry) {
	const row = $('row').content.firstElementChild.cloneNode(true);
	row.dataset.sequence = entry.sequence;
	day.rows.set(entry.sequence, row);
	paint(row, entry);
	let low = 0;
	for (let high = day.order.length; low < high;) {
		const middle = (low + high) >> 1;
		if (day.order[middle] > entry.sequence) low = middle + 1; else high = middle;
	}
	const { firstChild, lastChild } = $('list');
	if (low === day.order.length) roomIn(lastChild, 'append').append(row);
	else if (low === 0) roomIn(firstChild, 'prepend').prepend(row);
	else day.rows.get(day.order[low]).before(row);
	day.order.splice(low, 0, entry.sequence);
}

function roomIn(chunk, end) {
	if (chunk?.childElementCount < 25) return chunk;
	const another = make('div', '', 'chunk');
	$('list')[end](another);
	return another;
}

const amountOf = (entry) => money((entry.kind === 'refund' ? '-' : '') + entry.amount, entry.currency);

/// What must not be taken for a payment says so before its amount.
const wordBefore = (entry) => [
	entry.state === 'cancelled' && t.cancelled, entry.kind !== 'payment' && called(entry.kind),
].filter(Boolean).join(' · ');

/// What became of it, in words, and how it looks.
function fate({ state, how }) {
	switch (state === 'announced' && how || state) {
		case 'received': return [t.received, 'now'];
		case 'announcing': return [t.announcing, 'now'];
		case 'expired': return [t.late, 'miss'];
		case 'muted': return [t.howMuted, 'miss'];
		case 'volume_0': case 'at_volume_0': return [t.howSoft, 'miss'];
		case 'without_amount': return [t.howBare, 'miss'];
		case 'cancelled': return ['', ''];
		default: return [t.announced, ''];
	}
}

function paint(row, entry) {
	const [tag, amount, state, what, again] = row.children;
	const cancelled = entry.state === 'cancelled';
	const time = entry.received_at ?? entry.paid_at;
	row.className = `row ${cancelled ? 'dead' : entry.kind === 'payment' ? '' : entry.kind === 'refund' ? 'refund' : 'kind'}`;
	tag.textContent = wordBefore(entry);
	amount.textContent = amountOf(entry);
	const facts = [
		time && shopTime(time, { timeStyle: 'medium' }) + (entry.time_known ? '' : ' ?'),
		entry.channel && called(entry.channel), `…\u2060${entry.id.slice(-6)}`,
	];
	// Isolates, so that no name turns its neighbours around.
	what.textContent = facts.filter(Boolean).map((each) => `\u2068${each}\u2069`).join(' · ');
	what.title = entry.id;
	[state.textContent, state.className] = fate(entry);
	again.textContent = t.again;
	again.hidden = waits(entry) || cancelled;
	again.ariaLabel = `${t.again}: ${tag.textContent} ${amount.textContent}`;
}

export function replay(button) {
	const sequence = Number(button.parentElement.dataset.sequence);
	if (button.matches('button')) busy(button, () => ask('POST', '/api/replay', { sequence }).then(done));
}

/// In another language.
export function paintAll() {
	for (const [sequence, row] of day.rows) paint(row, day.entries.get(sequence));
}
