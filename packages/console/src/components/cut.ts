/** Cuts a long text at a code point, and marks that it goes on. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max).join('')}…`;
}
