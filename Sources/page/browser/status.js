// What the box said of itself last.

export let status = {};

export function setStatus(news) {
	status = news;
}

export const which = () => [status.merchant, status.device].filter(Boolean).join(' · ');
