/** Tampers with the exported log of a real store at every place, in every way: all of it must be detected. */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type ExportLine, exportLine } from '@writecheck/ledger';
import { ForkAlarm } from '@writecheck/store/append-guard';
import { exportLog } from '../../src/features/audit/export-log.ts';
import { openAudit } from '../../src/features/audit/open-audit.ts';
import { intentOf, openKit } from '../check-kit.ts';
import { tortureFolder } from '../running/kill-torture.ts';
import { type Trial, tryTampering, verifyLines, WAYS } from './ledger-tampering.ts';

/** One workspace in this many exports; the others show as hashes. */
const OWN_SHARE = 20;
const GROUP = 50;

const exported = async (size: number) => {
  const folder = tortureFolder();
  const kit = await openKit({ folder });
  const other = await openKit({ store: kit.store });
  const config = { data: folder, signingKey: null, databaseUrl: null };
  const audit = await openAudit(config, kit.store, Date.now(), { alarm: new ForkAlarm() });
  const parts = { store: kit.store, notary: audit.notary };
  const lines: ExportLine[] = [];
  const grow = async (to: number, asked: number): Promise<number> => {
    let count = asked;
    for (; count < to; count += GROUP) {
      const asked = (count / GROUP) % OWN_SHARE === 0 ? kit : other;
      const group = Array.from({ length: Math.min(GROUP, to - count) }, () => asked.ask(intentOf()));
      for (const { status } of await Promise.all(group))
        if (status !== 200) throw new Error(`a check was answered with ${status}`);
    }
    return count;
  };
  await grow(size, 0);
  for await (const text of exportLog(parts, { workspace: kit.workspace })) {
    for (const line of text.slice(0, -1).split('\n')) lines.push(JSON.parse(line));
  }
  const keys = await audit.notary.verifierKeys();
  // A later checkpoint, as a witness would have it: it exposes the honest export as rolled back.
  await grow(size + 1, size);
  const later = (await audit.notary.newest(kit.store.log))!.note;
  await other.close();
  await kit.close();
  await kit.store.close();
  rmSync(folder, { recursive: true });
  return { lines, keys, later, workspace: kit.workspace };
};

type Outcome = Awaited<ReturnType<typeof tryTampering>>;

/** Tries `ways` ways at each place, on several threads if requested. */
export const tortureLedger = async (size: number, stride: number, ways = WAYS, threads = 1) => {
  const { later, ...log } = await exported(size);
  const texts = log.lines.map(exportLine);
  const faults: string[] = [];
  if (!(await verifyLines(log, texts)).ok) faults.push('the honest export does not verify');
  if ((await verifyLines(log, texts, [later])).ok) faults.push('a rolled back log went unseen');
  const first = log.lines.findIndex(({ kind }) => kind === 'entry' || kind === 'hash');
  const trial = { ...log, from: first, to: first + size, stride, ways };
  const outcomes = threads === 1 ? [await tryTampering(trial)] : await tryOnThreads(trial, threads);
  return {
    tried: outcomes.reduce((sum, { tried }) => sum + tried, 0),
    places: Math.ceil(size / stride),
    faults: [...faults, ...outcomes.flatMap((outcome) => outcome.faults)],
  };
};

const tryOnThreads = (trial: Trial, threads: number): Promise<readonly Outcome[]> => {
  // Threads take places in turn, because cutting a long log off late takes longer than cutting it off early.
  const stride = trial.stride * threads;
  return Promise.all(
    Array.from({ length: threads }, async (_, i) => {
      const worker = new Worker(new URL('./ledger-torture-worker.ts', import.meta.url), {
        execArgv: ['--conditions=writecheck-source'],
      });
      const outcome = await new Promise<Outcome>((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
        worker.postMessage({ ...trial, from: trial.from + i * trial.stride, stride } satisfies Trial);
      });
      await worker.terminate();
      return outcome;
    }),
  );
};

const WAYS_PER_PLACE = 3;

/**
 * Runs `npm run torture -- ledger [size] [stride] [ways]`: every `stride`th place, and `ways` ways at each, in turn;
 * there are 7 ways in all.
 */
export const torture = async (args: readonly string[]) => {
  const [size = 10_000, stride = 1, ways = WAYS_PER_PLACE] = args.map(Number);
  const { tried, places, faults } = await tortureLedger(size, stride, ways, availableParallelism());
  return {
    claim: 'no tampering with an exported log goes unseen',
    count: `${tried} tamperings at ${places} places of a log of ${size}`,
    seed: 'none',
    faults,
  };
};
