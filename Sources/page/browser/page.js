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
		case 'expired': case 'quiet': case 'muted': case 'unspeakable': return t[word];
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

const NAMES = 'alipay=Alipay;wechat=WeChat Pay;unionpay=UnionPay;paypal=PayPal;upi=UPI;gpay=Google Pay;applepay=Apple Pay;'
	+ 'qris=QRIS;wechatpay=wechat;wxpay=wechat;weixin=wechat;alipayhk=alipay;quickpass=unionpay;googlepay=gpay;bankcard=card;debitcard=card;'
	+ 'creditcard=card;banktransfer=bank';

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

function translate() {
	const wish = [remembered(), ...navigator.languages, session.language, 'en'].find(languageOf);
	const language = languageOf(wish);
	// India writes numbers in its own way in English, too: the region of the phone counts.
	locale = navigator.languages.find((each) => languageOf(each) === language) ?? wish;
	formats.clear();
	const lines = WORDS[language].trim().split('\n');
	t = Object.fromEntries(KEYS.map((key, index) => [key, lines[index]]));
	names = new Map(`${NAMES};${t.names}`.split(';').map((pair) => pair.split('=')));
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
	try {
		session = await ask('GET', '/api/session');
		translate();
		$('plain').hidden = session.https;
		showOld();
		if (session.signed_in) enter(); else leave();
	} catch (error) {
		translate();
		showOld(error);
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

function changeLanguage({ value }) {
	remembered(value);
	translate();
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

// The words of the languages

/// One line of each language below belongs to each of these, in this order. {0} stands for a number or a time.
const KEYS = `name pay box signIn look change sayCode code saying wrong expired wait quiet muted unspeakable noBox noNet failed http
language signOut search none loading cancelled count gross net total channel others missing perHour print report
received announcing announced late howMuted howSoft howBare again fresh volume mute unmute quietHours from to atMost
save done off asSetUp trial network clock sound storage netOff netBad clockUnsure clockBad soundOff soundBad quietNow refused
call asOf noDay names`.split(/\s/);

const WORDS = {
de: `
Zahlungsbox
Zahlungen
Box
Anmelden
Nur ansehen
Ansehen und ändern
Code ansagen lassen
Code
Gut zuhören: Die Box sagt den Code. Er gilt {0}.
Falscher Code. Versuche übrig: {0}
Dieser Code gilt nicht mehr. Bitte einen neuen anfordern.
Bitte {0} warten.
Ruhezeit: Die Box spricht jetzt nicht.
Die Box ist stumm. Bitte den Ton einschalten.
Die Box kann das nicht sagen.
Die Box antwortet nicht. Ist sie eingeschaltet?
Keine Verbindung zur Box. Ist dieses Gerät im WLAN des Ladens?
Das hat nicht geklappt. Bitte noch einmal.
Unverschlüsselt; im eigenen Netz des Ladens in Ordnung.
Sprache
Abmelden
Betrag oder letzte Ziffern der Nummer
Nichts gefunden.
Lädt …
Storniert
Anzahl
Eingang
Netto
Summe
Bezahlt mit
Andere Meldungen
Zeit unbekannt oder unlesbar, nicht in den Summen: {0}
Zahlungen pro Stunde
Bericht drucken
Tagesbericht
Wartet
Wird angesagt
Angesagt
Zu spät, nicht einzeln angesagt
Nicht gehört: stumm
Nicht gehört: zu leise
Ohne Betrag angesagt
Nochmal
Neue Zahlung
Lautstärke
Stumm
Ton ein
Ruhezeit
Von
Bis
Höchstens so laut
Speichern
Erledigt.
Keine
Wie eingerichtet
Stimme testen
Netz
Uhr
Ton
Speicher
Zahlungen kommen nicht an. Router und Kabel prüfen, oder die Box näher ans WLAN stellen.
Zahlungen können verloren gehen.
Die Uhrzeit ist nicht bestätigt.
Die Uhr geht falsch. Bitte die Internetverbindung der Box prüfen.
Kein Lautsprecher. Stecker prüfen, dann die Box aus- und einschalten.
Nicht alles kann angesagt werden.
Ruhezeit: Lautstärke höchstens {0}.
Zahlungsmeldungen der letzten 24 Stunden, die nicht angesagt wurden: {0}. Bitte die Zahlungen auf dem Telefon prüfen.
Bitte anrufen, wer die Box eingerichtet hat.
Stand: {0}.
Die Box kennt das Datum nicht. Bitte einen Tag wählen.
cash=Bargeld;card=Karte;bank=Überweisung;refund=Erstattung;deposit=Kaution;membership=Mitgliedschaft;ecny=Digitaler Yuan`,
en: `
Sound box
Payments
Box
Sign in
Look only
Look and change
Have the box say a code
Code
Listen: the box says the code. Valid for {0}.
Wrong code. Tries left: {0}
This code no longer counts. Ask for a new one.
Please wait {0}.
Quiet hours: the box does not speak now.
The box is muted. Turn its sound on.
The box cannot say this.
The box does not answer. Is it switched on?
No connection to the box. Is this phone in the shop’s Wi-Fi?
That did not work. Try again.
Not encrypted; fine in the shop’s own network.
Language
Sign out
Amount or last digits of the ID
Nothing found.
Loading…
Cancelled
Number
Received
Net
Total
Paid by
Other messages
Time unknown or unreadable, not in the sums: {0}
Payments per hour
Print report
Daily report
Waiting
Speaking
Spoken
Late, not spoken by itself
Not heard: muted
Not heard: too soft
Spoken without amount
Say again
New payment
Volume
Mute
Sound on
Quiet hours
From
To
Volume at most
Save
Done.
None
As first set up
Test the voice
Network
Clock
Sound
Memory
Payments do not arrive. Check router and cable, or move the box nearer to the Wi-Fi.
Payments may get lost.
The time is not confirmed.
The time is wrong. Check the box’s Internet connection.
No loudspeaker. Check its plug, then turn the box off and on.
Not everything can be spoken.
Quiet hours: volume at most {0}.
Payment messages of the last 24 hours that were not spoken: {0}. Check the payments on your phone.
Call whoever set up the box.
As of {0}.
The box does not know the date. Choose a day.
cash=Cash;card=Card;bank=Bank transfer;refund=Refund;deposit=Deposit;membership=Membership;ecny=Digital yuan`,
hi: `
साउंड बॉक्स
भुगतान
बॉक्स
साइन इन
सिर्फ़ देखना
देखना और बदलना
बॉक्स से कोड बुलवाएँ
कोड
सुनें: बॉक्स कोड बोल रहा है। {0} तक चलेगा।
कोड ग़लत है। बाकी मौके: {0}
यह कोड अब नहीं चलेगा। नया बुलवाएँ।
कृपया {0} रुकें।
शांत समय: बॉक्स अभी नहीं बोलता।
बॉक्स म्यूट है। आवाज़ चालू करें।
बॉक्स यह नहीं बोल सकता।
बॉक्स जवाब नहीं देता। क्या वह चालू है?
बॉक्स से संपर्क नहीं। क्या फ़ोन दुकान के Wi-Fi में है?
नहीं हुआ। फिर कोशिश करें।
एन्क्रिप्टेड नहीं; दुकान के अपने नेटवर्क में ठीक है।
भाषा
साइन आउट
रकम या आईडी के आखिरी अंक
कुछ नहीं मिला।
लोड हो रहा है…
रद्द
संख्या
मिला
बचा
कुल
किससे
दूसरे संदेश
समय पता नहीं या पढ़ा नहीं गया, जोड़ में नहीं: {0}
हर घंटे के भुगतान
रिपोर्ट छापें
दिन की रिपोर्ट
बाकी है
बोल रहा है
बोला गया
देर से आया, अलग से नहीं बोला
सुना नहीं: म्यूट था
सुना नहीं: आवाज़ बहुत कम
रकम बिना बोला
फिर बोलें
नया भुगतान
आवाज़
म्यूट
आवाज़ चालू
शांत समय
से
तक
अधिकतम आवाज़
सहेजें
हो गया।
नहीं चाहिए
शुरू जैसा
आवाज़ जाँचें
नेटवर्क
घड़ी
आवाज़
मेमोरी
भुगतान नहीं आ रहे। राउटर और तार देखें, या बॉक्स को Wi-Fi के पास रखें।
भुगतान खो सकते हैं।
समय पक्का नहीं।
समय ग़लत है। बॉक्स का इंटरनेट देखें।
स्पीकर नहीं मिला। प्लग देखें, फिर बॉक्स बंद-चालू करें।
सब कुछ नहीं बोला जा सकता।
शांत समय: आवाज़ अधिकतम {0}।
पिछले 24 घंटों में भुगतान के जो संदेश नहीं बोले गए: {0}। भुगतान अपने फ़ोन पर देखें।
जिसने बॉक्स लगाया उसे फ़ोन करें।
{0} की स्थिति।
बॉक्स को तारीख पता नहीं। कोई दिन चुनें।
cash=नकद;card=कार्ड;bank=बैंक ट्रांसफ़र;refund=रिफ़ंड;deposit=डिपॉज़िट;membership=सदस्यता`,
id: `
Kotak suara
Pembayaran
Kotak
Masuk
Melihat saja
Melihat dan mengubah
Minta kotak sebut kode
Kode
Dengarkan: kotak menyebut kode. Berlaku {0}.
Kode salah. Sisa kesempatan: {0}
Kode ini tidak berlaku lagi. Minta yang baru.
Mohon tunggu {0}.
Jam tenang: kotak tidak bicara sekarang.
Kotak dibisukan. Nyalakan suaranya.
Kotak tidak bisa mengucapkan ini.
Kotak tidak menjawab. Apakah menyala?
Tidak terhubung ke kotak. Apakah ponsel ini di Wi-Fi toko?
Tidak berhasil. Coba lagi.
Tidak dienkripsi; aman di jaringan toko sendiri.
Bahasa
Keluar
Jumlah atau angka akhir ID
Tidak ditemukan.
Memuat…
Dibatalkan
Banyaknya
Masuk
Bersih
Total
Dibayar dengan
Pesan lain
Waktu tidak diketahui atau tidak terbaca, tidak dijumlah: {0}
Pembayaran per jam
Cetak laporan
Laporan harian
Menunggu
Diucapkan…
Sudah diucapkan
Terlambat, tidak diucapkan tersendiri
Tak terdengar: bisu
Tak terdengar: terlalu pelan
Diucapkan tanpa jumlah
Ulangi
Pembayaran baru
Volume
Bisukan
Nyalakan suara
Jam tenang
Dari
Sampai
Volume maksimum
Simpan
Selesai.
Tanpa jam tenang
Seperti awal
Uji suara
Jaringan
Jam
Suara
Memori
Pembayaran tidak masuk. Periksa router dan kabel, atau dekatkan kotak ke Wi-Fi.
Pembayaran bisa hilang.
Waktu belum dipastikan.
Waktu salah. Periksa internet kotak.
Pengeras suara tidak ada. Periksa colokannya, lalu matikan dan nyalakan kotak.
Tidak semua bisa diucapkan.
Jam tenang: volume paling tinggi {0}.
Pesan pembayaran 24 jam terakhir yang tidak diucapkan: {0}. Periksa pembayaran di ponsel Anda.
Hubungi pemasang kotak.
Keadaan {0}.
Kotak tidak tahu tanggal. Pilih hari.
cash=Tunai;card=Kartu;bank=Transfer bank;refund=Pengembalian dana;deposit=Deposit;membership=Keanggotaan;ecny=Yuan digital`,
ko: `
결제 알림기
결제
알림기
로그인
보기만
보고 바꾸기
코드 듣기
코드
알림기가 코드를 말합니다. {0} 동안 쓸 수 있습니다.
코드가 틀렸습니다. 남은 횟수: {0}
이 코드는 이제 쓸 수 없습니다. 새 코드를 들으세요.
{0} 기다려 주세요.
조용한 시간이라 지금은 말하지 않습니다.
알림기가 음소거입니다. 소리를 켜세요.
알림기가 말할 수 없는 내용입니다.
알림기가 응답하지 않습니다. 켜져 있나요?
알림기에 연결되지 않습니다. 가게 Wi-Fi를 쓰고 있나요?
되지 않았습니다. 다시 해 보세요.
암호화되지 않음. 가게 안 네트워크에서는 괜찮습니다.
언어
로그아웃
금액 또는 번호 끝자리
찾지 못했습니다.
불러오는 중…
취소됨
건수
받은 돈
남은 돈
합계
결제 수단
다른 알림
시간을 모르거나 읽을 수 없어 합계에 없음: {0}
시간별 결제
보고서 인쇄
일일 보고서
대기 중
말하는 중
말했음
늦어서 따로 말하지 않음
안 들림: 음소거
안 들림: 소리가 너무 작음
금액 없이 말함
다시 듣기
새 결제
음량
음소거
소리 켜기
조용한 시간
시작
끝
최대 음량
저장
했습니다.
없음
처음 설정대로
목소리 시험
네트워크
시계
소리
저장 장치
결제가 들어오지 않습니다. 공유기와 선을 확인하거나 알림기를 Wi-Fi 가까이 옮기세요.
결제가 빠질 수 있습니다.
시간이 확인되지 않았습니다.
시간이 틀립니다. 알림기의 인터넷 연결을 확인하세요.
스피커가 없습니다. 선을 확인하고 알림기를 껐다 켜세요.
말하지 못하는 것이 있습니다.
조용한 시간: 최대 음량 {0}.
지난 24시간 동안 말하지 못한 결제 메시지: {0}. 휴대폰에서 결제를 확인하세요.
설치한 사람에게 전화하세요.
{0} 기준.
알림기가 날짜를 모릅니다. 날을 고르세요.
cash=현금;card=카드;bank=계좌이체;refund=환불;deposit=보증금;membership=회원권;alipay=알리페이;wechat=위챗페이;unionpay=유니온페이`,
ms: `
Kotak suara
Bayaran
Kotak
Log masuk
Melihat sahaja
Melihat dan mengubah
Minta kotak sebut kod
Kod
Dengar: kotak menyebut kod. Sah selama {0}.
Kod salah. Baki cubaan: {0}
Kod ini tidak sah lagi. Minta yang baharu.
Sila tunggu {0}.
Waktu senyap: kotak tidak bercakap sekarang.
Kotak dibisukan. Hidupkan bunyinya.
Kotak tidak dapat menyebut ini.
Kotak tidak menjawab. Adakah ia hidup?
Tiada sambungan ke kotak. Adakah telefon ini dalam Wi-Fi kedai?
Tidak berjaya. Cuba lagi.
Tidak disulitkan; tidak mengapa dalam rangkaian kedai sendiri.
Bahasa
Log keluar
Jumlah atau angka akhir ID
Tidak dijumpai.
Memuatkan…
Dibatalkan
Bilangan
Diterima
Bersih
Jumlah
Dibayar dengan
Mesej lain
Masa tidak diketahui atau tidak terbaca, tidak dijumlah: {0}
Bayaran setiap jam
Cetak laporan
Laporan harian
Menunggu
Disebut…
Sudah disebut
Terlewat, tidak disebut tersendiri
Tidak didengar: bisu
Tidak didengar: terlalu perlahan
Disebut tanpa jumlah
Ulang
Bayaran baharu
Volum
Bisukan
Hidupkan bunyi
Waktu senyap
Dari
Hingga
Volum paling tinggi
Simpan
Selesai.
Tiada
Seperti asal
Uji suara
Rangkaian
Jam
Bunyi
Memori
Bayaran tidak masuk. Periksa penghala dan kabel, atau dekatkan kotak dengan Wi-Fi.
Bayaran mungkin hilang.
Masa belum disahkan.
Masa salah. Periksa Internet kotak.
Tiada pembesar suara. Periksa palamnya, kemudian tutup dan hidupkan kotak.
Bukan semua dapat disebut.
Waktu senyap: volum paling tinggi {0}.
Mesej bayaran 24 jam lalu yang tidak disebut: {0}. Semak bayaran di telefon anda.
Hubungi pemasang kotak.
Setakat {0}.
Kotak tidak tahu tarikh. Pilih hari.
cash=Tunai;card=Kad;bank=Pindahan bank;refund=Bayaran balik;deposit=Deposit;membership=Keahlian;ecny=Yuan digital`,
th: `
กล่องเสียงรับเงิน
รับเงิน
กล่อง
เข้าใช้
ดูอย่างเดียว
ดูและเปลี่ยน
ให้กล่องพูดรหัส
รหัส
ฟัง: กล่องกำลังพูดรหัส ใช้ได้ {0}
รหัสผิด เหลืออีก {0} ครั้ง
รหัสนี้ใช้ไม่ได้แล้ว ขอใหม่
โปรดรอ {0}
ช่วงเงียบ: กล่องยังไม่พูดตอนนี้
กล่องปิดเสียงอยู่ โปรดเปิดเสียง
กล่องพูดสิ่งนี้ไม่ได้
กล่องไม่ตอบ เปิดเครื่องอยู่ไหม
ต่อกับกล่องไม่ได้ โทรศัพท์อยู่ใน Wi-Fi ของร้านไหม
ไม่สำเร็จ ลองอีกครั้ง
ไม่ได้เข้ารหัส ใช้ในเครือข่ายร้านได้
ภาษา
ออก
ยอดเงิน หรือเลขท้ายของรหัส
ไม่พบ
กำลังโหลด…
ยกเลิกแล้ว
จำนวน
รับ
เหลือ
รวม
จ่ายด้วย
ข่าวอื่น
ไม่รู้เวลาหรืออ่านไม่ได้ ไม่รวมในยอด: {0}
รับเงินต่อชั่วโมง
พิมพ์รายงาน
รายงานประจำวัน
รออยู่
กำลังพูด
พูดแล้ว
มาช้า ไม่ได้พูดแยก
ไม่ได้ยิน: ปิดเสียง
ไม่ได้ยิน: เสียงเบาเกินไป
พูดโดยไม่มียอด
พูดซ้ำ
เงินเข้าใหม่
ความดัง
ปิดเสียง
เปิดเสียง
ช่วงเงียบ
จาก
ถึง
ดังสุด
บันทึก
เรียบร้อย
ไม่มี
ตามที่ตั้งแต่แรก
ลองเสียง
เครือข่าย
นาฬิกา
เสียง
หน่วยความจำ
เงินเข้าไม่ได้ ดูเราเตอร์และสาย หรือย้ายกล่องไปใกล้ Wi-Fi
รายการอาจหาย
เวลายังไม่ยืนยัน
เวลาผิด ดูอินเทอร์เน็ตของกล่อง
ไม่มีลำโพง ดูสาย แล้วปิดเปิดกล่อง
บางอย่างพูดไม่ได้
ช่วงเงียบ: ดังสุด {0}
ข้อความรับเงินใน 24 ชั่วโมงที่ผ่านมาที่ไม่ได้พูด: {0} โปรดตรวจสอบในโทรศัพท์
โทรหาคนที่ติดตั้งกล่อง
เมื่อ {0}
กล่องไม่รู้วันที่ เลือกวัน
cash=เงินสด;card=บัตร;bank=เงินโอน;refund=คืนเงิน;deposit=มัดจำ;membership=สมาชิก;promptpay=พร้อมเพย์;truemoney=ทรูมันนี่;alipay=อาลีเพย์;wechat=วีแชทเพย์`,
vi: `
Loa báo tiền
Khoản tiền
Loa
Đăng nhập
Chỉ xem
Xem và thay đổi
Cho loa đọc mã
Mã
Hãy nghe: loa đang đọc mã. Dùng được trong {0}.
Sai mã. Số lần còn lại: {0}
Mã này hết hiệu lực. Hãy xin mã mới.
Vui lòng chờ {0}.
Giờ yên lặng: bây giờ loa không nói.
Loa đang tắt tiếng. Hãy bật tiếng.
Loa không đọc được điều này.
Loa không trả lời. Loa có đang bật không?
Không kết nối được với loa. Điện thoại có dùng Wi-Fi của tiệm không?
Không được. Hãy thử lại.
Không mã hóa; dùng trong mạng của tiệm thì được.
Ngôn ngữ
Đăng xuất
Số tiền hoặc các số cuối của mã
Không tìm thấy.
Đang tải…
Đã hủy
Số lượng
Đã nhận
Còn lại
Tổng
Trả bằng
Tin khác
Không rõ giờ hoặc không đọc được, không tính vào tổng: {0}
Khoản tiền theo giờ
In báo cáo
Báo cáo ngày
Đang chờ
Đang đọc
Đã đọc
Đến muộn, không đọc riêng
Không nghe thấy: tắt tiếng
Không nghe thấy: quá nhỏ
Đọc không có số tiền
Đọc lại
Tiền mới vào
Âm lượng
Tắt tiếng
Bật tiếng
Giờ yên lặng
Từ
Đến
Âm lượng tối đa
Lưu
Xong.
Không dùng
Như lúc cài đặt
Thử giọng
Mạng
Đồng hồ
Âm thanh
Bộ nhớ
Tiền không báo về. Xem lại bộ phát Wi-Fi và dây, hoặc đặt loa gần Wi-Fi hơn.
Có khoản tiền có thể bị mất.
Giờ chưa được xác nhận.
Sai giờ. Hãy xem lại Internet của loa.
Không có loa ngoài. Xem lại dây cắm, rồi tắt và bật lại.
Có điều không đọc được.
Giờ yên lặng: âm lượng tối đa {0}.
Tin báo tiền trong 24 giờ qua chưa được đọc: {0}. Hãy kiểm tra các khoản tiền trên điện thoại.
Hãy gọi người cài đặt loa.
Lúc {0}.
Loa không biết ngày. Hãy chọn ngày.
cash=Tiền mặt;card=Thẻ;bank=Chuyển khoản;refund=Hoàn tiền;deposit=Đặt cọc;membership=Thành viên`,
'zh-Hans': `
收款音箱
收款
音箱
登录
只查看
查看并设置
让音箱报验证码
验证码
请听音箱报的验证码，{0}内有效。
验证码不对，还可以试 {0} 次。
验证码已失效，请重新获取。
请等{0}。
现在是安静时段，音箱不出声。
音箱已静音，请打开声音。
音箱报不了这个内容。
音箱没有回应，是否已通电？
连不上音箱。手机连的是店里的 Wi-Fi 吗？
没有成功，请再试一次。
未加密，在店内自己的网络中使用没有问题。
语言
退出
金额或单号末几位
没有找到。
加载中…
已取消
笔数
收入
净额
合计
付款方式
其他消息
时间不明或无法读取、未计入：{0} 笔
每小时收款
打印日报
日报
等待播报
正在播报
已播报
来得太晚，未单独播报
没听到：静音
没听到：音量太小
播报时没有金额
重播
新收款
音量
静音
打开声音
安静时段
从
到
最大音量
保存
已完成。
不设
恢复安装时的设置
试听
网络
时钟
声音
存储
收不到付款。请检查路由器和网线，或把音箱移近 Wi-Fi。
付款消息可能会丢失。
时间还没有核对过。
时间不对，请检查音箱的网络。
找不到喇叭。请检查插头，再关机重开。
有些内容播报不了。
安静时段，音量最大 {0}。
最近 24 小时有 {0} 条付款消息没有播报，请在手机上核对。
请联系安装人员。
截至 {0}。
音箱不知道今天的日期，请选一天。
alipay=支付宝;wechat=微信支付;unionpay=云闪付;cash=现金;card=银行卡;bank=银行转账;ecny=数字人民币;jdpay=京东支付;meituan=美团;douyin=抖音;refund=退款;deposit=押金;membership=会员充值`,
'zh-Hant': `
收款音箱
收款
音箱
登入
只查看
查看並設定
讓音箱報驗證碼
驗證碼
請聽音箱報的驗證碼，{0}內有效。
驗證碼不對，還可以試 {0} 次。
驗證碼已失效，請重新取得。
請等{0}。
現在是安靜時段，音箱不出聲。
音箱已靜音，請打開聲音。
音箱報不了這個內容。
音箱沒有回應，是否已通電？
連不上音箱。手機連的是店裡的 Wi-Fi 嗎？
沒有成功，請再試一次。
未加密，在店內自己的網路中使用沒有問題。
語言
登出
金額或單號末幾位
沒有找到。
載入中…
已取消
筆數
收入
淨額
合計
付款方式
其他訊息
時間不明或無法讀取、未計入：{0} 筆
每小時收款
列印日報
日報
等待播報
正在播報
已播報
來得太晚，未單獨播報
沒聽到：靜音
沒聽到：音量太小
播報時沒有金額
重播
新收款
音量
靜音
打開聲音
安靜時段
從
到
最大音量
儲存
已完成。
不設
恢復安裝時的設定
試聽
網路
時鐘
聲音
儲存空間
收不到付款。請檢查路由器和網路線，或把音箱移近 Wi-Fi。
付款訊息可能會遺失。
時間還沒有核對過。
時間不對，請檢查音箱的網路。
找不到喇叭。請檢查插頭，再關機重開。
有些內容播報不了。
安靜時段，音量最大 {0}。
最近 24 小時有 {0} 則付款訊息沒有播報，請在手機上核對。
請聯絡安裝人員。
截至 {0}。
音箱不知道今天的日期，請選一天。
alipay=支付寶;wechat=微信支付;unionpay=銀聯;cash=現金;card=刷卡;bank=銀行轉帳;ecny=數位人民幣;jkopay=街口支付;easycard=悠遊卡;ipass=一卡通;octopus=八達通;fps=轉數快;refund=退款;deposit=押金;membership=會員儲值`,
};

wire();
start();
