/** Saves a text as a file, made in the page. */
export function download(name: string, text: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the file by then; a leftover URL would keep it in memory.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
