/** A service's address as the prefix of its URLs. */

/**
 * Not a regular expression: a pattern for trailing slashes takes quadratic time if there are many in the
 * middle.
 */
export function withoutSlashAtEnd(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
