// Who uses the page.

/// What the box says of this phone.
export const session = {};

/// The box knows this phone no more.
export const forgotten = () => dispatchEvent(new Event('forgotten'));
