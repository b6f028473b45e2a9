// Asking the box.

/// Status 0: nobody has answered.
export const trouble = (status, told = {}) => Object.assign(new Error(told.reason), { status, told, word: told.error });

export async function ask(method, path, body, abort = new AbortController()) {
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
