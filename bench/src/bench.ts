/** `npm run bench [-- NAME...]`: runs benchmarks and exits with 1 if one misses its bar. */
import { meets, printTable, type Row, writeResults } from './report.ts';

const BENCHMARKS: { readonly [name: string]: () => Promise<readonly Row[]> } = {
  engine: async () => (await import('./engine.ts')).benchEngine(),
  micro: async () => (await import('./micro.ts')).benchMicro(),
  service: async () => (await import('./service.ts')).benchService(),
  fairness: async () => (await import('./fairness.ts')).benchFairness(),
  growth: async () => (await import('./growth.ts')).benchGrowth(),
  impact: async () => (await import('./impact.ts')).benchImpact(),
  postgres: async () => (await import('./postgres.ts')).benchPostgres(),
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`no benchmark \`${unknown.join(', ')}\`; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
const rows: Row[] = [];
// Growth and impact need much time and disk, and micro judges code, so these run only by name.
const usual = Object.keys(BENCHMARKS).filter((name) => !['growth', 'impact', 'micro'].includes(name));
for (const name of names.length > 0 ? names : usual) {
  const measured = await BENCHMARKS[name]!();
  writeResults(name, measured);
  rows.push(...measured);
}
printTable(rows);
if (!rows.every((row) => meets(row, row.bar))) process.exit(1);
