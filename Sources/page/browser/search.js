// Search by an amount, or the end of an id.

import { day } from './day.js';
import { $, write } from './elements.js';
import { number } from './numbers.js';
import { t } from './words.js';

/// Digits of full width are digits, as are those of Hindi and Thai.
const latin = (text) => text.normalize('NFKC').replace(/\s/g, '').toLowerCase()
	.replace(/[०-९๐-๙]/g, (digit) => '०१२३४५६७८९๐๑๒๓๔๕๖๗๘๙'.indexOf(digit) % 10);

const bare = (amount) => amount.replace(/^0+(?=\d)/, '').replace(/\.0*$|(\.\d*?)0+$/, '$1');

/// "1,234.5" and "1.234,5" are one amount, in every language.
function wanted(text) {
	const end = latin(text);
	const digits = end.replace(/[^\d.,]/g, '');
	const amounts = [digits.replaceAll(',', ''), digits.replaceAll('.', '').replace(',', '.')].map(bare);
	return (entry) => !end || digits && amounts.includes(bare(entry.amount))
		|| end.length > 2 && entry.id.toLowerCase().endsWith(end);
}

export function filter() {
	const wish = $('search').value.trim();
	let found = day.rows.size;
	if (wish || $('list').className) {
		const matches = wanted(wish);
		for (const [sequence, row] of day.rows) {
			row.hidden = !matches(day.entries.get(sequence));
			if (row.hidden) found -= 1;
		}
	}
	$('list').className = wish ? 'filtered' : '';
	write('loading', !day.complete ? t.loading : !found ? t.none : wish ? `${t.count}: ${number(found)}` : '');
}
