// Elements of the page. Whatever comes from outside becomes text (textContent), never markup.

export const $ = (id) => document.getElementById(id);

export const write = (id, text) => { $(id).textContent = text; };

export function make(tag, text = '', name = '') {
	const element = document.createElement(tag);
	element.textContent = text;
	element.className = name;
	return element;
}
