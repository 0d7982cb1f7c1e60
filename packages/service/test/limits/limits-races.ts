/** Races for the last place of a limit, and kills under load: allows never exceed it, and the log agrees. */
import { rmSync } from 'node:fs';
import { openStore } from '../../src/runtime/open-store.ts';
import { type Flags, loadConfig } from '../../src/support/config/load-config.ts';
import { ask, type Reply } from '../ask.ts';
import { ownerKeyOf, type Spawned, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';
import { BASE, PER_CUSTOMER, refund } from './limits-kit.ts';

const MAX = 5;
const LIMITS = [
  { ...PER_CUSTOMER, max: MAX },
  { ...PER_CUSTOMER, id: 'many', sum: 'intent.metadata.context.amount', max: 50, per: '1h' },
];

/** Processes that serve one store: three threads on SQLite, two replicas on PostgreSQL. */
export interface Party {
  readonly urls: readonly string[];
  readonly ownerKey: string;
  readonly liveKey: string;
  kill(): Promise<void>;
  /** What a rebuild reports about the counters, once every process is dead. */
  rebuild(): Promise<{ readonly differed: number }>;
  remove(): void;
}

export async function startParty(databaseUrl?: string): Promise<Party> {
  const folders = Array.from({ length: databaseUrl === undefined ? 1 : 2 }, temporaryFolder);
  const spawned: Spawned[] = [];
  const urls: string[] = [];
  for (const folder of folders) {
    const store = databaseUrl === undefined ? ['--workers', '3'] : ['--database-url', databaseUrl];
    const one = spawnWritecheck(['serve', '--port', '0', '--log-level', 'error', '--data', folder, ...store]);
    spawned.push(one);
    urls.push(await one.listening);
  }
  const ownerKey = ownerKeyOf(spawned[0]!.stdout());
  const owner = { key: ownerKey };
  const made = await ask(`${urls[0]}/v1/keys`, { ...owner, json: { kind: 'live', name: 'races' } });
  const documents = [...BASE, ...LIMITS];
  await ask(`${urls[0]}/v1/policies`, { ...owner, method: 'PUT', json: { documents } });
  return {
    urls,
    ownerKey,
    liveKey: made.body.secret,
    async kill() {
      for (const { child } of spawned) child.kill('SIGKILL');
      await Promise.all(spawned.map(({ finished }) => finished));
    },
    async rebuild() {
      const flags: Flags = { data: folders[0]!, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
      const loaded = loadConfig({}, flags);
      if (loaded.kind === 'invalid') throw new Error(loaded.faults.join());
      const store = await openStore(loaded.config, 'visit');
      try {
        return await store.rebuildDraws();
      } finally {
        await store.close();
      }
    },
    remove() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function checkAt(party: Party, i: number, intent: object): Promise<Reply> {
  return ask(`${party.urls[i % party.urls.length]}/v1/check-write`, { key: party.liveKey, json: intent });
}

/** Many concurrent writes when one place is left: exactly one gets it. Returns what went wrong. */
export async function raceForLast(
  party: Party,
  customer: string,
  callers: number,
): Promise<readonly string[]> {
  for (let drawn = 0; drawn < MAX - 1; drawn += 1) {
    const before = await checkAt(party, 0, refund(customer, 0));
    if (before.status !== 200) return [`no check: ${before.text}`];
  }
  const replies = await Promise.all(
    Array.from({ length: callers }, (_, i) => checkAt(party, i, refund(customer, 0))),
  );
  const allowed = replies.filter(({ body }) => body.allowed === true).length;
  const lost = replies.filter(({ status }) => status !== 200);
  const wrong = lost.filter(({ status, body }) => status !== 503 || body.allowed !== false);
  if (wrong.length > 0) return [`an answer that is none: ${wrong[0]!.text}`];
  // A check without a response may have been recorded.
  if (allowed > 1 || (allowed === 0 && lost.length === 0))
    return [`${allowed} of ${callers} got the last place`];
  const after = await checkAt(party, 1, refund(customer, 0));
  const { drawn } = after.body.limits?.find(({ id }: { id: string }) => id === PER_CUSTOMER.id) ?? {};
  if (after.status === 200 && (after.body.allowed || drawn !== String(MAX)))
    return [`${drawn} is drawn of ${MAX}, and the next one is ${after.body.decision}`];
  return [];
}

/** Kills every process in the middle of commits: counters and log still agree. */
export async function killUnderLoad(party: Party, answers: number): Promise<readonly string[]> {
  let answered = 0;
  let allowed = 0;
  const enough = Promise.withResolvers<void>();
  const lane = async (name: string): Promise<void> => {
    for (let i = 0; ; i += 1) {
      const { body } = await checkAt(party, i, refund(`${name}-${Math.floor(i / MAX)}`, '1.5'));
      if (body.allowed) allowed += 1;
      answered += 1;
      if (answered >= answers) enough.resolve();
    }
  };
  const lanes = Array.from({ length: 12 }, (_, i) => lane(`kill-${answers}-${i % 3}`).catch(() => undefined));
  await enough.promise;
  await party.kill();
  await Promise.all(lanes);
  const { differed } = await party.rebuild();
  if (allowed === 0) return ['nothing was allowed'];
  return differed === 0 ? [] : [`after a kill, ${differed} counters differ from the log`];
}
