// Numbers, times and amounts, as the phone writes them.

import { session } from './session.js';

let locale = 'en';
const formats = new Map();

export function writeAs(tag) {
	locale = tag;
	formats.clear();
}

export const number = (value) => format('NumberFormat', {}, value);
export const clock = (time) => format('DateTimeFormat', { timeStyle: 'medium' }, time);
/// Times come with the shop's offset, and are shown as they stand, wherever the phone believes it is.
export const shopTime = (time, style) => format('DateTimeFormat', { timeZone: 'UTC', ...style }, new Date(`${time.slice(0, 19)}Z`));

export function format(type, options, value) {
	const key = type + JSON.stringify(options);
	if (!formats.has(key)) formats.set(key, new Intl[type](locale, options));
	return formats.get(key).format(value);
}

export function duration(seconds = 60) {
	const [value, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
	return format('NumberFormat', { style: 'unit', unit, unitDisplay: 'long' }, value);
}

const PLAIN = /^-?\d+(\.\d+)?$/;
// Older browsers make a floating-point number of it.
const EXACT = new Intl.NumberFormat('en').format('12345678901234567.89').endsWith('7.89');

/// An amount is a decimal string of any size, shown to its last digit. ¥ and $ stand for the shop's currency only.
export function money(amount, currency) {
	try {
		if (!PLAIN.test(amount) || !EXACT && amount.length > 15) throw amount;
		const decimals = amount.split('.')[1]?.length ?? 0;
		const key = currency + decimals;
		if (!formats.has(key)) {
			const currencyDisplay = currency === session.currency ? 'narrowSymbol' : 'code';
			const style = { style: 'currency', currency, currencyDisplay };
			const usual = new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits;
			const digits = Math.max(usual, decimals);
			const exact = { ...style, minimumFractionDigits: digits, maximumFractionDigits: digits };
			formats.set(key, new Intl.NumberFormat(locale, exact));
		}
		return formats.get(key).format(amount);
	} catch {
		return `${amount} ${currency}`;
	}
}

/// The exact sum of decimal strings.
export function sum(amounts) {
	const parts = amounts.filter((each) => PLAIN.test(each)).map((each) => each.split('.'));
	const scale = Math.max(...parts.map(([, rest = '']) => rest.length), 0);
	const total = parts.reduce((so, [whole, rest = '']) => so + BigInt(whole + rest.padEnd(scale, '0')), 0n);
	const digits = String(total).padStart(scale + 1, '0');
	return scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
}
