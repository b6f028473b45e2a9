// Totals and hours of a day.

import { ask } from './ask.js';
import { day } from './day.js';
import { $, make, write } from './elements.js';
import { format, money, number, shopTime, sum } from './numbers.js';
import { which } from './status.js';
import { called, fill, t } from './words.js';

let counting;
let counted = 0;

export async function count() {
	clearTimeout(counting);
	counting = undefined;
	counted = Date.now();
	const mine = day.opened;
	const totals = await ask('GET', `/api/totals?day=${day.name}`).catch(() => null);
	if (!totals || mine !== day.opened) return;
	showTotals(totals);
	if ($('main').dataset.view === 'day') showHours();
}

/// In a rush every three seconds.
export function countSoon() {
	counting ??= setTimeout(count, Math.max(300, counted + 3000 - Date.now()));
}

function table(heads, lines) {
	const fillRow = (row, cells, tag) => cells.forEach((text, index) => {
		const cell = make(index ? tag : 'th', text);
		if (cell.tagName === 'TH') cell.scope = tag === 'th' ? 'col' : 'row';
		row.append(cell);
	});
	const element = make('table');
	fillRow(element.createTHead().insertRow(), heads, 'th');
	const body = element.createTBody();
	for (const line of lines) fillRow(body.insertRow(), line, 'td');
	return element;
}

/// Payments, and below them what was paid back and what is left.
const lines = (name, { currency, payments, gross, refunds, refunded, net }) => [
	[name, number(payments), money(gross, currency)],
	...refunds ? [
		[`– ${called('refund')}`, number(refunds), money(`-${refunded}`, currency)], [`= ${t.net}`, '', money(net, currency)],
	] : [],
];

function showTotals({ currencies, channels, other_kinds: others, cancelled, time_unknown: untimed, unreadable, from, to }) {
	$('sum').replaceChildren(...currencies.flatMap((each) => lines('', each).map(([name, times, sum], index) =>
		index ? `${name}: ${sum}\n` : [make('b', sum), ` × ${times}\n`])).flat());
	const lost = untimed + (unreadable?.count ?? 0);
	$('totals').replaceChildren(
		table([t.total, t.count, t.gross], currencies.flatMap((each) => lines(each.currency, each))),
		table([t.channel, t.count, t.gross], channels.flatMap((each) => lines(called(each.channel ?? '–'), each))),
		...others.length ? [table([t.others, t.count, t.total], others.map((each) =>
			[called(each.kind), number(each.count), money(each.sum, each.currency)]))] : [],
		make('p', cancelled ? `${t.cancelled}: ${number(cancelled)}` : ''), make('p', lost ? fill(t.missing, number(lost)) : ''));
	const when = { dateStyle: 'medium', timeStyle: 'short' };
	write('span', `${which()}\n${shopTime(from, when)} – ${shopTime(to, when)}\n`
		+ fill(t.asOf, format('DateTimeFormat', when, Date.now())));
}

/// Payments by the hour of the shop. Refunds and other news are none.
function hours() {
	const first = Number(day.range.from.slice(11, 13));
	const all = Array.from({ length: 24 }, (_, index) => ({ hour: (first + index) % 24, payments: 0, amounts: new Map() }));
	for (const { kind, state, received_at: at, time_known: known, currency, amount } of day.entries.values()) {
		if (kind !== 'payment' || state === 'cancelled' || !at || !known) continue;
		const hour = all[(Number(at.slice(11, 13)) - first + 24) % 24];
		hour.payments += 1;
		if (!hour.amounts.has(currency)) hour.amounts.set(currency, []);
		hour.amounts.get(currency).push(amount);
	}
	return all.slice(all.findIndex((each) => each.payments), all.findLastIndex((each) => each.payments) + 1);
}

function showHours() {
	const some = day.range.from ? hours() : [];
	const payments = some.reduce((so, each) => so + each.payments, 0);
	write('hours-sum', day.complete ? ` · ${number(payments)}` : ` · ${t.loading}`);
	$('hours').replaceChildren(...payments ? [bars(some), table([t.perHour, t.count, t.gross], some.map((each) => [
		`${each.hour}:00`, number(each.payments),
		[...each.amounts].map(([currency, amounts]) => money(sum(amounts), currency)).join(' + '),
	]))] : []);
}

function bars(some) {
	const draw = (tag, attributes, text = '') => {
		const shape = document.createElementNS('http://www.w3.org/2000/svg', tag);
		for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
		shape.textContent = text;
		return shape;
	};
	const most = Math.max(...some.map((each) => each.payments));
	const step = Math.max(24, Math.min(60, 360 / some.length));
	const chart = draw('svg', { viewBox: `0 0 ${Math.max(360, step * some.length)} 150`, 'aria-hidden': true });
	some.forEach(({ hour, payments }, index) => {
		const height = Math.round(110 * payments / most);
		const x = (index + 0.5) * step;
		chart.append(draw('rect', { x: x - step / 2 + 2, y: 130 - height, width: step - 4, height }),
			draw('text', { x, y: 146 }, hour), draw('text', { x, y: 125 - height }, payments || ''));
	});
	return chart;
}
