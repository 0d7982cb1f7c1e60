/** Tells whether a record mentions a text, for an operator who looks for everything about somebody. */

/** Ignores case and look-alike forms: a person who asks to be forgotten does not know how a caller spelled the name. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function mentions(value: unknown, wanted: string): boolean {
  if (typeof value === 'string') return folded(value).includes(wanted);
  if (typeof value === 'number') return String(value).includes(wanted);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => mentions(name, wanted) || mentions(each, wanted));
}

/** Searches every value and name of the intent. */
export function holdsText(record: Uint8Array, text: string): boolean {
  const { intent } = JSON.parse(Buffer.from(record).toString()) as { readonly intent: unknown };
  return mentions(intent, folded(text));
}
