/** A service's address as the start of others. */

/** Not by a regular expression: one that looks for slashes at the end takes quadratic time for many in the middle. */
export function withoutSlashAtEnd(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
