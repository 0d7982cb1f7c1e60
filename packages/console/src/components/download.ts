/** Saves a text as a file, made in the page, and lists as CSV. */
import { csvLine } from '@writecheck/contract';

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
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(csvLine).join('');
}
