/** `npm run bench [-- NAME...]`: runs benchmarks and exits with 1 if one misses its bar. `growth` takes a size. */
import { meets, printTable, type Row, writeResults } from './report.ts';

const BENCHMARKS: { readonly [name: string]: () => Promise<readonly Row[]> } = {
  engine: async () => (await import('./engine.ts')).benchEngine(),
  micro: async () => (await import('./micro.ts')).benchMicro(),
  service: async () => (await import('./service.ts')).benchService(),
  cores: async () => (await import('./cores.ts')).benchCores(),
  fairness: async () => (await import('./fairness.ts')).benchFairness(),
  'worst-bundles': async () => (await import('./worst-bundles.ts')).benchWorstBundles(),
  growth: async () => (await import('./growth/growth.ts')).benchGrowth(size),
  'grown-checks': async () => (await import('./grown-checks.ts')).benchGrownChecks(),
  authzen: async () => (await import('./authzen.ts')).benchAuthzen(),
  limits: async () => (await import('./limits.ts')).benchLimits(),
  facts: async () => (await import('./facts.ts')).benchFacts(),
  stops: async () => (await import('./stops.ts')).benchStops(),
  reviews: async () => (await import('./approved.ts')).benchApproved(),
  impact: async () => (await import('./impact.ts')).benchImpact(),
  postgres: async () => (await import('./postgres.ts')).benchPostgres(),
};

const names = process.argv.slice(2).filter((argument) => !/^\d+$/.test(argument));
const given = process.argv.slice(2).find((argument) => /^\d+$/.test(argument));
const size = given === undefined ? undefined : Number(given);
const unknown = names.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(`no benchmark \`${unknown.join(', ')}\`; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
const rows: Row[] = [];
// These need much time and disk or many cores, and micro judges code, so they run only by name.
const BY_NAME = ['cores', 'growth', 'grown-checks', 'impact', 'micro'];
const usual = Object.keys(BENCHMARKS).filter((name) => !BY_NAME.includes(name));
for (const name of names.length > 0 ? names : usual) {
  const measured = await BENCHMARKS[name]!();
  writeResults(name, measured);
  rows.push(...measured);
}
printTable(rows);
if (!rows.every((row) => meets(row, row.bar))) process.exit(1);
