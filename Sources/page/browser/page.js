// The shop's page: what the box takes, as it comes, and what may be changed.
// Whatever comes from outside becomes text (textContent), never markup.

const $ = (id) => document.getElementById(id);

const write = (id, text) => { $(id).textContent = text; };

function make(tag, text = '', name = '') {
	const element = document.createElement(tag);
	element.textContent = text;
	element.className = name;
	return element;
}

// Asking the box

/// Status 0: nobody has answered.
const trouble = (status, told = {}) => Object.assign(new Error(told.reason), { status, told, word: told.error });

async function ask(method, path, body, abort = new AbortController()) {
	const timer = setTimeout(() => abort.abort(), 20_000);
	try {
		const headers = method === 'GET' ? {} : { 'Content-Type': 'application/json' };
		const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal: abort.signal });
		const told = await answer.json().catch(() => ({}));
		if (!answer.ok) throw trouble(answer.status, told);
		return told;
	} catch (error) {
		throw error.status ? error : trouble(0);
	} finally {
		clearTimeout(timer);
	}
}

function excuse({ status, word, told }) {
	switch (word) {
		case 'wrong': return fill(t.wrong, number(told.left));
		case 'wait': return fill(t.wait, duration(told.retry_in));
		case 'expired': return t.expired;
		case 'quiet': return t.quiet;
		case 'muted': return t.muted;
		case 'unspeakable': return t.unspeakable;
		case 'role': return t.look;
	}
	return !status ? t.noNet : word === 'box' ? t.noBox : t.failed;
}

// Words, numbers, times

const LANGUAGES = ['de', 'en', 'hi', 'id', 'ko', 'ms', 'th', 'vi', 'zh-Hans', 'zh-Hant'];
let t = {};
let session = {};
let locale = 'en';
let names = new Map();
const formats = new Map();

const fill = (sentence, value) => sentence.replace('{0}', () => value);
const number = (value) => format('NumberFormat', {}, value);
const clock = (time) => format('DateTimeFormat', { timeStyle: 'medium' }, time);
/// Times come with the shop's offset, and are shown as they stand, wherever the phone believes it is.
const shopTime = (time, style) => format('DateTimeFormat', { timeZone: 'UTC', ...style }, new Date(`${time.slice(0, 19)}Z`));

function format(type, options, value) {
	const key = type + JSON.stringify(options);
	if (!formats.has(key)) formats.set(key, new Intl[type](locale, options));
	return formats.get(key).format(value);
}

function duration(seconds = 60) {
	const [value, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
	return format('NumberFormat', { style: 'unit', unit, unitDisplay: 'long' }, value);
}

const PLAIN = /^-?\d+(\.\d+)?$/;
// Older browsers make a floating-point number of it.
const EXACT = new Intl.NumberFormat('en').format('12345678901234567.89').endsWith('7.89');

/// An amount is a decimal string of any size, shown to its last digit. ¥ and $ stand for the shop's currency only.
function money(amount, currency) {
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
function sum(amounts) {
	const parts = amounts.filter((each) => PLAIN.test(each)).map((each) => each.split('.'));
	const scale = Math.max(...parts.map(([, rest = '']) => rest.length), 0);
	const total = parts.reduce((so, [whole, rest = '']) => so + BigInt(whole + rest.padEnd(scale, '0')), 0n);
	const digits = String(total).padStart(scale + 1, '0');
	return scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
}

/// Names that most languages share, and other names of the same channel.
const NAMES = {
	alipay: 'Alipay', wechat: 'WeChat Pay', unionpay: 'UnionPay', paypal: 'PayPal', upi: 'UPI', gpay: 'Google Pay',
	applepay: 'Apple Pay', qris: 'QRIS', wechatpay: 'wechat', wxpay: 'wechat', weixin: 'wechat', alipayhk: 'alipay',
	quickpass: 'unionpay', googlepay: 'gpay', bankcard: 'card', debitcard: 'card', creditcard: 'card', banktransfer: 'bank',
};

/// A channel or a kind, in the shop's words where there are any.
function called(name) {
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
function remembered(language) {
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
const preload = () => wished() && wordsOf(languageOf(wished()));

let translation; // The last one: the words of an earlier choice may come later.

function translate(wish = wished() ?? 'en') {
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
	locale = navigator.languages.find((each) => languageOf(each) === language) ?? wish;
	formats.clear();
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

// Signing in

async function start() {
	preload();
	try {
		session = await ask('GET', '/api/session');
		await translate();
		$('plain').hidden = session.https;
		showOld();
		if (session.signed_in) enter(); else leave();
	} catch (error) {
		// Without words there is the page's own sentence.
		await translate().then(() => showOld(error), () => { $('old').hidden = false; });
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

function leave() {
	stopWatching();
	clearDay();
	session.signed_in = false;
	document.body.dataset.role = 'none';
	show('');
	$('old').hidden = true;
	$('alerts').replaceChildren();
}

const sayCode = (button) => busy(button, async () => {
	const { expires_in: left } = await ask('POST', '/api/code', {});
	write('sign-said', fill(t.saying, duration(left)));
	$('code').value = '';
	$('code').focus();
}, 'sign-said');

const signIn = (form, { submitter }) => busy(submitter, async () => {
	Object.assign(session, await ask('POST', '/api/session', { code: $('code').value, role: form.role.value }));
	$('code').value = '';
	write('sign-said', '');
	enter();
	$('main').focus();
}, 'sign-said');

/// Runs what a button asks for, once at a time, and tells what came of it.
async function busy(button, work, place) {
	if (button?.ariaBusy) return;
	if (button) button.ariaBusy = true;
	try {
		await work();
	} catch (error) {
		if (error.word === 'sign_in') leave();
		else say(excuse(error), place);
	} finally {
		if (button) button.ariaBusy = null;
	}
}

let silence;
function say(sentence, place = 'said') {
	write(place, sentence);
	clearTimeout(silence);
	silence = setTimeout(write, 8000, 'said', '');
}

const done = () => say(t.done);

// Staying up to date

let poll; // The long poll that is out; it can be called back.
let version = 0;
let last = null; // The highest sequence that the box has told of.
let seen = 0; // When the box answered last, by the phone's clock.
let status = {};

const sleep = (time, signal) => new Promise((done) => {
	setTimeout(done, time);
	signal.addEventListener('abort', done);
});

async function watch() {
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
			status = news.status ?? {};
			await refresh(news.last_sequence);
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
			if (error.word === 'sign_in') return leave();
			showOld(error);
			pause = Math.min(20_000, pause * 2 || 1000);
			await sleep(pause * (0.75 + Math.random() / 2), mine.signal);
		}
	}
}

function stopWatching() {
	poll?.abort();
	poll = undefined;
}

/// A phone that wakes up, or is back in its network, asks at once.
function wake() {
	if (session.signed_in && !document.hidden && (!$('old').hidden || Date.now() - seen > 10_000)) watch();
}

function showOld(error) {
	const old = error || seen && Date.now() - seen > 25_000;
	const when = seen ? fill(t.asOf, clock(seen)) : '';
	const words = old ? `${excuse(error ?? { status: 0 })} ${when}` : '';
	// What is set anew is read aloud anew.
	if ($('old').textContent !== words) write('old', words);
	$('old').hidden = !old;
	write('live', old ? '' : when);
}

// The payments of a day

let day = 'today';
let opened = 0; // Counts what was opened: a late answer for another day is dropped.
let range = {};
let complete = false;
let first; // Its first page.
let failed = false; // To be read; the next event tries again.
const entries = new Map(); // By sequence.
const rows = new Map();
let order = []; // Sequences, highest first.

const waits = (entry) => entry.state === 'received' || entry.state === 'announcing';
const page = (query) => ask('GET', `/api/history?day=${day}&${query}`);

function clearDay() {
	opened += 1;
	entries.clear();
	rows.clear();
	order = [];
	range = {};
	complete = failed = false;
	for (const id of ['list', 'sum', 'span', 'totals', 'hours', 'hours-sum']) $(id).replaceChildren();
}

/// The newest come first, so that something is there at once.
async function open(which) {
	clearDay();
	day = which;
	$('today').ariaPressed = day === 'today';
	$('yesterday').ariaPressed = day === 'yesterday';
	$('csv').href = `/api/export.csv?day=${day}`;
	$('date').value = day > '9' ? '' : day;
	write('loading', t.loading);
	const mine = opened;
	try {
		for (let reply = first = page('limit=60'); reply;) {
			const got = await reply;
			if (mine !== opened) return;
			if (!range.from) count();
			range = got;
			merge(got.entries);
			reply = got.next && page(`limit=100&before=${got.next}`);
		}
		complete = true;
		filter();
		count();
	} catch (error) {
		if (mine !== opened) return;
		failed = true;
		write('loading', error.word === 'undated' ? t.noDay : excuse(error));
	}
}

/// After an event: what is new, and what has become of what waited.
async function refresh(now) {
	const mine = opened;
	const before = last;
	if (failed) return void open(day);
	if (day !== 'today') return;
	if (now < before || Date.parse(status.at) >= Date.parse(range.to)) return void open(day);
	await first.catch(() => 0); // What is older comes by itself.
	if (mine !== opened || failed) return;
	const top = order[0] ?? 0;
	const oldest = order.findLast((sequence) => waits(entries.get(sequence)));
	if (before === now && !oldest) return;
	const found = [];
	let lowest = 0;
	for (let next = 'limit=50'; next;) {
		const got = await page(next);
		if (mine !== opened) return;
		if (range.from && got.from !== range.from) return void open(day);
		found.push(...got.entries);
		lowest = got.entries.at(-1)?.sequence ?? 0;
		next = lowest > top && got.next && `limit=100&before=${got.next}`;
	}
	merge(found.reverse());
	// Those that wait end in their order: the oldest have changed.
	if (oldest < lowest) {
		const got = await page(`limit=60&before=${oldest + 51}`);
		if (mine === opened) merge(got.entries);
	}
	if (before !== null) tell(found.filter((entry) => entry.sequence > top).reverse());
	filter();
	// In a rush every three seconds.
	counting ??= setTimeout(count, Math.max(300, counted + 3000 - Date.now()));
}

function tell(fresh) {
	for (const entry of fresh) rows.get(entry.sequence).classList.add('fresh');
	const sentences = fresh.slice(0, 3).map((entry) =>
		`${wordBefore(entry) || t.fresh}: ${amountOf(entry)} ${called(entry.channel ?? '')}`);
	if (fresh.length > 3) sentences.push(`+${number(fresh.length - 3)}`);
	if (fresh.length) write('heard', sentences.join('. '));
}

function merge(list) {
	for (const entry of list) {
		const known = entries.get(entry.sequence);
		entries.set(entry.sequence, entry);
		if (!known) insert(entry);
		else if (known.state !== entry.state || known.how !== entry.how) paint(rows.get(entry.sequence), entry);
	}
}

/// One row goes where it belongs, the others stay.
function insert(entry) {
	const row = $('row').content.firstElementChild.cloneNode(true);
	row.dataset.sequence = entry.sequence;
	rows.set(entry.sequence, row);
	paint(row, entry);
	let low = 0;
	for (let high = order.length; low < high;) {
		const middle = (low + high) >> 1;
		if (order[middle] > entry.sequence) low = middle + 1; else high = middle;
	}
	const { firstChild, lastChild } = $('list');
	if (low === order.length) roomIn(lastChild, 'append').append(row);
	else if (low === 0) roomIn(firstChild, 'prepend').prepend(row);
	else rows.get(order[low]).before(row);
	order.splice(low, 0, entry.sequence);
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

function replay(button) {
	const sequence = Number(button.parentElement.dataset.sequence);
	if (button.matches('button')) busy(button, () => ask('POST', '/api/replay', { sequence }).then(done));
}

// Search

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

function filter() {
	const wish = $('search').value.trim();
	let found = rows.size;
	if (wish || $('list').className) {
		const matches = wanted(wish);
		for (const [sequence, row] of rows) {
			row.hidden = !matches(entries.get(sequence));
			if (row.hidden) found -= 1;
		}
	}
	$('list').className = wish ? 'filtered' : '';
	write('loading', !complete ? t.loading : !found ? t.none : wish ? `${t.count}: ${number(found)}` : '');
}

// Totals and hours

let counting;
let counted = 0;

async function count() {
	clearTimeout(counting);
	counting = undefined;
	counted = Date.now();
	const mine = opened;
	const totals = await ask('GET', `/api/totals?day=${day}`).catch(() => null);
	if (!totals || mine !== opened) return;
	showTotals(totals);
	if ($('main').dataset.view === 'day') showHours();
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

const which = () => [status.merchant, status.device].filter(Boolean).join(' · ');

/// Payments by the hour of the shop. Refunds and other news are none.
function hours() {
	const first = Number(range.from.slice(11, 13));
	const all = Array.from({ length: 24 }, (_, index) => ({ hour: (first + index) % 24, payments: 0, amounts: new Map() }));
	for (const { kind, state, received_at: at, time_known: known, currency, amount } of entries.values()) {
		if (kind !== 'payment' || state === 'cancelled' || !at || !known) continue;
		const hour = all[(Number(at.slice(11, 13)) - first + 24) % 24];
		hour.payments += 1;
		if (!hour.amounts.has(currency)) hour.amounts.set(currency, []);
		hour.amounts.get(currency).push(amount);
	}
	return all.slice(all.findIndex((each) => each.payments), all.findLastIndex((each) => each.payments) + 1);
}

function showHours() {
	const some = range.from ? hours() : [];
	const payments = some.reduce((so, each) => so + each.payments, 0);
	write('hours-sum', complete ? ` · ${number(payments)}` : ` · ${t.loading}`);
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

// How the box is

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

function showStatus() {
	const spoken = [...status.faults ?? [], ...status.warnings ?? []];
	const matters = diagnosis(spoken);
	const alarms = matters.filter(([, grade]) => grade === 'bad').map(([,, sentence]) => make('p', sentence, 'note bad'));
	const words = alarms.map((each) => each.textContent).join('');
	if ($('alerts').textContent !== words) $('alerts').replaceChildren(...alarms);
	$('state').replaceChildren(...matters.flatMap(([name, grade, sentence]) => [make('dt', name, grade), make('dd', sentence)]));
	write('which', which());
	$('faults').replaceChildren(...spoken.map((fault) => make('li', fault)));
	$('words').hidden = !spoken.length;
	if (turning || status.volume === undefined) return;
	$('volume').value = status.volume;
	write('volume-now', number(status.volume));
	write('mute', status.muted ? t.unmute : t.mute);
	$('mute').value = status.muted ? 'unmute' : 'mute';
}

// What can be changed

let turning = false; // Somebody has the slider in hand: the box does not pull it away.

async function setVolume(volume, button) {
	await busy(button, async () => Object.assign(status, await ask('PUT', '/api/volume', { volume })));
	turning = false;
	showStatus();
}

async function quietHours(change) {
	const { quiet_hours: now, origin } = await ask(change ? 'PUT' : 'GET', '/api/quiet-hours', change);
	$('quiet-from').value = now?.from ?? '';
	$('quiet-to').value = now?.to ?? '';
	$('quiet-volume').value = now?.volume ?? 20;
	$('quiet-off').hidden = !now;
	$('quiet-set-up').hidden = origin !== 'shop';
	if (change) done();
}

// The page itself

function show(view) {
	$('main').dataset.view = view;
	for (const button of $('nav').children) button.ariaCurrent = button.value === view ? 'page' : 'false';
	scrollTo(0, 0);
	if (view === 'day') count();
}

async function changeLanguage({ value }) {
	remembered(value);
	try {
		await translate(value);
	} catch (error) {
		$('language').value = document.documentElement.lang;
		return say(excuse(error));
	}
	if (!session.signed_in) return;
	for (const [sequence, row] of rows) paint(row, entries.get(sequence));
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
		'sign-out': (button) => busy(button, () => ask('DELETE', '/api/session').then(leave)),
		nav: (button) => button.value && show(button.value),
		today: () => open('today'),
		yesterday: () => open('yesterday'),
		list: replay,
		print: () => print(),
		mute: (button) => setVolume(button.value, button),
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
	on('input', {
		search: filter,
		volume: (slider) => {
			turning = true;
			write('volume-now', number(slider.value));
		},
	});
	on('change', {
		language: changeLanguage,
		date: (field) => field.value && open(field.value),
		volume: (slider) => setVolume(Number(slider.value)),
		'with-list': (box) => document.body.classList.toggle('with-list', box.checked),
	});
	addEventListener('offline', showOld);
	for (const event of ['online', 'pageshow']) addEventListener(event, wake);
	document.addEventListener('visibilitychange', wake);
	setInterval(() => session.signed_in && $('old').hidden && showOld(), 5000);
}

wire();
start();
