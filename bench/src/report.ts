/** Reports benchmark rows against their bars, as a table, as JSON and as a chart. */
import { mkdirSync, writeFileSync } from 'node:fs';

export interface Row {
  readonly measure: string;
  readonly value: number;
  /** The run fails below it, or above it if lower is better. */
  readonly bar: number;
  readonly goal: number;
  readonly better: 'higher' | 'lower';
}

/** `bar` is the least that passes. */
export function atLeast(measure: string, value: number, bar: number, goal: number): Row {
  return { measure, value, bar, goal, better: 'higher' };
}

/** `bar` is the most that passes. */
export function atMost(measure: string, value: number, bar: number, goal: number): Row {
  return { measure, value, bar, goal, better: 'lower' };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function meets({ value, better }: Row, limit: number): boolean {
  return better === 'higher' ? value >= limit : value <= limit;
}

export function printTable(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ measure }) => measure.length));
  console.log(
    `\n${'measure'.padEnd(width)}  ${'value'.padStart(10)}  ${'bar'.padStart(9)}  ${'goal'.padStart(9)}`,
  );
  for (const row of rows) {
    const verdict = meets(row, row.goal) ? 'goal met' : meets(row, row.bar) ? 'bar met' : 'BELOW THE BAR';
    console.log(
      `${row.measure.padEnd(width)}  ${show(row.value).padStart(10)}  ${show(row.bar).padStart(9)}  ${show(row.goal).padStart(9)}  ${verdict}`,
    );
  }
}

function show(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}

export function writeResults(name: string, rows: readonly Row[]): void {
  const folder = new URL('../results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    new URL(`${name}.json`, folder),
    `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`,
  );
  writeFileSync(new URL(`${name}.svg`, folder), chart(rows));
}

/** One row each, as a share of its bar; the vertical line marks the bar. */
function chart(rows: readonly Row[]): string {
  const lineAt = 480;
  const unit = 120;
  const lines = rows.map((row, index) => {
    const share = Math.min(3.5, row.better === 'higher' ? row.value / row.bar : row.bar / row.value);
    const y = 30 + index * 26;
    const colour = share >= 1 ? '#2b7a4b' : '#b3261e';
    return `<text x="${lineAt - unit - 8}" y="${y + 13}" text-anchor="end">${escapeXml(row.measure)}</text><rect x="${lineAt - unit}" y="${y}" width="${(share * unit).toFixed(1)}" height="18" fill="${colour}"/><text x="${lineAt - unit + share * unit + 6}" y="${y + 13}">${show(row.value)}</text>`;
  });
  const height = 40 + rows.length * 26;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="${height}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${lines.join('')}<line x1="${lineAt}" y1="20" x2="${lineAt}" y2="${height}" stroke="#333" stroke-dasharray="4"/><text x="${lineAt}" y="14" text-anchor="middle">bar</text></svg>\n`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '');
}
