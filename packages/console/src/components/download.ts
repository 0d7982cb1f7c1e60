/** Saves a text as a file, made in the page, and lists as CSV. */
export function download(name: string, text: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the file by then; a leftover URL would keep it in memory.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function csvOf<Name extends string>(
  columns: readonly Name[],
  rows: readonly { readonly [name in Name]: string | null }[],
): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}

/** A spreadsheet would run a caller's text that begins like a formula, so such a text gets an apostrophe. */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
