/** Reads the controls that fit an intent; reads nothing unless every one of them can be read. */
import type { SignedEvidence } from '@writecheck/client/evidence';
import type { WriteIntent } from '@writecheck/contract';
import { commandSource } from './command-source.ts';
import { type Database, Databases } from './databases.ts';
import { FactsUnavailable, nameOf } from './failures.ts';
import { httpSource } from './http-source.ts';
import { READS_AT_ONCE_MAX } from './limits.ts';
import type { ReaderConfig } from './read-config.ts';
import type { ControlSettings } from './read-control.ts';
import { seenIntent } from './seen-intent.ts';
import { checkFacts, type ReadFacts, signFacts } from './sign-facts.ts';
import type { Read, Source } from './source.ts';
import { sqlSource } from './sql-source.ts';

export type ReadOutcome<T> =
  | { readonly kind: 'read'; readonly items: readonly T[] }
  | { readonly kind: 'none_fits' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'unavailable'; readonly controlId: string; readonly why: string };

/** Called after each read, with the error if there was one. */
export type Observe = (controlId: string, why: string | null, seconds: number) => void;

export interface Reader {
  /** `named` limits it to these controls. Throws an `UnusableMember` before anything is read. */
  read(
    intent: WriteIntent,
    named: readonly string[] | null,
    observe?: Observe,
  ): Promise<ReadOutcome<ReadFacts>>;
  /** Reads as `read` does; signs only if every control could be read. */
  sign(
    intent: WriteIntent,
    named: readonly string[] | null,
    observe?: Observe,
  ): Promise<ReadOutcome<SignedEvidence>>;
  /** The controls whose database would let the reader write, although it never does. */
  writable(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Planned {
  readonly control: ControlSettings;
  readonly read: Read;
}

export function openReader(config: ReaderConfig): Reader {
  const databases = new Databases();
  const controls = config.controls.map((control) => ({
    control,
    source: openSource(control, config, databases),
  }));
  databases.warm(config.controls.flatMap(databaseOf));
  let reading = 0;

  function plan(intent: WriteIntent, named: readonly string[] | null): readonly Planned[] | null {
    const fitting = controls.filter(({ control }) => control.fits(intent));
    const wanted = named === null ? fitting : fitting.filter(({ control }) => named.includes(control.id));
    if (wanted.length === 0 || (named !== null && wanted.length !== new Set(named).size)) return null;
    return wanted.map(({ control, source }) => ({
      control,
      read: source.prepare(seenIntent(intent, control.bind)),
    }));
  }

  const read: Reader['read'] = async (intent, named, observe = () => undefined) => {
    const planned = plan(intent, named);
    if (planned === null) return { kind: 'none_fits' };
    if (reading >= READS_AT_ONCE_MAX) return { kind: 'busy' };
    reading += 1;
    try {
      const items: ReadFacts[] = [];
      // One after another, so that a request is one read at any moment.
      for (const next of planned) {
        const startedMs = performance.now();
        const done = await readOne(next);
        const why = done instanceof FactsUnavailable ? done.why : null;
        observe(next.control.id, why, (performance.now() - startedMs) / 1_000);
        if (done instanceof FactsUnavailable) return unavailable(next.control, done);
        items.push(done);
      }
      return { kind: 'read', items };
    } finally {
      reading -= 1;
    }
  };

  return {
    read,
    async sign(intent, named, observe) {
      const outcome = await read(intent, named, observe);
      if (outcome.kind !== 'read') return outcome;
      const items: SignedEvidence[] = [];
      for (const item of outcome.items) {
        try {
          items.push(await signFacts(config, intent, item));
        } catch (error) {
          if (error instanceof FactsUnavailable) return unavailable(item.control, error);
          throw error;
        }
      }
      return { kind: 'read', items };
    },
    async writable() {
      const found: string[] = [];
      for (const control of config.controls) {
        for (const database of databaseOf(control))
          if (await databases.mayWrite(database)) found.push(control.id);
      }
      return found;
    },
    async close() {
      await Promise.all(controls.map(({ source }) => source.close()));
      await databases.close();
    },
  };
}

async function readOne({ control, read }: Planned): Promise<ReadFacts | FactsUnavailable> {
  const checkedAt = new Date();
  try {
    const facts = await read();
    checkFacts(facts);
    return { control, facts, checkedAt };
  } catch (error) {
    return error instanceof FactsUnavailable
      ? error
      : new FactsUnavailable(`the read failed: ${nameOf(error)}`);
  }
}

function unavailable({ id }: ControlSettings, { why }: FactsUnavailable): ReadOutcome<never> {
  return { kind: 'unavailable', controlId: id, why };
}

/** None or one. */
function databaseOf({ source }: ControlSettings): readonly Database[] {
  return source.kind === 'sql' ? [source.settings.database] : [];
}

function openSource({ source }: ControlSettings, { env }: ReaderConfig, databases: Databases): Source {
  if (source.kind === 'sql') return sqlSource(source.settings, databases);
  if (source.kind === 'http') return httpSource(source.settings);
  return commandSource({ ...source.settings, env });
}
