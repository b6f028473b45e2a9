// The words of the page's language: words/<language>.json. {0} stands for a number or a time.

import { ask, trouble } from './ask.js';
import { $, write } from './elements.js';
import { writeAs } from './numbers.js';
import { session } from './session.js';

export const LANGUAGES = ['de', 'en', 'hi', 'id', 'ko', 'ms', 'th', 'vi', 'zh-Hans', 'zh-Hant'];

/// By key. Until they have come there is the page's own sentence, in English.
export let t = { noNet: $('old').textContent };
let names = new Map();

export const fill = (sentence, value) => sentence.replace('{0}', () => value);

/// Names that most languages share, and other names of the same channel.
const NAMES = {
	alipay: 'Alipay', wechat: 'WeChat Pay', unionpay: 'UnionPay', paypal: 'PayPal', upi: 'UPI', gpay: 'Google Pay',
	applepay: 'Apple Pay', qris: 'QRIS', wechatpay: 'wechat', wxpay: 'wechat', weixin: 'wechat', alipayhk: 'alipay',
	quickpass: 'unionpay', googlepay: 'gpay', bankcard: 'card', debitcard: 'card', creditcard: 'card', banktransfer: 'bank',
};

/// A channel or a kind, in the shop's words where there are any.
export function called(name) {
	const known = names.get(name.toLowerCase().replaceAll('_', ''));
	return names.get(known) ?? known ?? name;
}

function languageOf(tag) {
	try {
		const { language, script } = new Intl.Locale(tag).maximize();
		return LANGUAGES.find((each) => each === language || each === `${language}-${script}`);
	} catch { /* No language. */ }
}

/// A private window may forbid the store.
export function remembered(language) {
	try {
		if (language) localStorage.language = language;
		return localStorage.language;
	} catch {
		return language;
	}
}

/// The tag of the language to show, as the shop or the phone has it.
const wished = () => [remembered(), ...navigator.languages, session.language].find(languageOf);

/// The files of words that were asked for.
const files = new Map();

function wordsOf(language) {
	if (!files.has(language)) {
		const file = ask('GET', `/words/${language}.json`).then((words) => {
			// What breaks off is no JSON.
			if (!words.names) throw trouble(0);
			return words;
		});
		files.set(language, file);
		file.catch(() => files.delete(language));
	}
	return files.get(language);
}

/// Asked for before the box has answered, where the phone alone decides.
export const preload = () => wished() && wordsOf(languageOf(wished()));

let translation; // The last one: the words of an earlier choice may come later.

export function translate(wish = wished() ?? 'en') {
	const mine = translation = load(languageOf(wish)).then(([words, language]) => {
		if (translation !== mine) return translation;
		use(words, language, languageOf(wish) === language ? wish : language);
	});
	return mine;
}

/// Where the server lacks a language it has English.
const load = (language) => wordsOf(language).then((words) => [words, language], (error) => {
	if (!error.status || language === 'en') throw error;
	return load('en');
});

function use(words, language, wish) {
	// India writes numbers in its own way in English, too: the region of the phone counts.
	writeAs(navigator.languages.find((each) => languageOf(each) === language) ?? wish);
	t = words;
	names = new Map(Object.entries({ ...NAMES, ...words.names }));
	const dir = new Intl.Locale(language).textInfo?.direction ?? 'ltr';
	Object.assign(document.documentElement, { lang: language, dir });
	document.title = t.name;
	for (const element of document.querySelectorAll('[data-t]')) element.textContent = t[element.dataset.t];
	const days = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
	write('today', days.format(0, 'day'));
	write('yesterday', days.format(-1, 'day'));
	write('details', `${t.box}: ${new Intl.DisplayNames(language, { type: 'language' }).of('en')}`);
	$('language').value = language;
}
