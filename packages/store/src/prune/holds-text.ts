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

/** Searches every value and name of the intent, and of the body that the intent was made from. */
export function holdsText(record: Uint8Array, text: string): boolean {
  const wanted = folded(text);
  const { intent, received } = JSON.parse(Buffer.from(record).toString()) as {
    readonly intent: unknown;
    readonly received?: { readonly body?: string };
  };
  if (mentions(intent, wanted)) return true;
  if (received?.body === undefined) return false;
  const body = Buffer.from(received.body, 'base64').toString();
  return folded(body).includes(wanted) || mentions(parsedOrNull(body), wanted);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
