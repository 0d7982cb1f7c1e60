/** Facts of the record, fetched before every check and sent as evidence. */
import type { EvidenceItem, WriteIntent } from '@writecheck/contract';
import { callService } from './call-service.ts';
import type { NoDecisionCause, ServiceDecision, Unanswered } from './decision-types.ts';
import type { FactsReader, FactsSource, NeededFacts } from './facts-types.ts';
import { unanswered } from './local-decision.ts';
import { own } from './own.ts';
import type { AbortSignalLike } from './platform.ts';
import { requirements } from './requirements.ts';
import { readerOf, type Settings } from './settings.ts';
import { type IntentSnapshot, snapshotIntent } from './snapshot-intent.ts';

interface FactsOptions {
  readonly facts?: FactsSource | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export interface Facts {
  /** The snapshot with the facts it needs. Never rejects. */
  add(snapshot: IntentSnapshot, options: FactsOptions | undefined): Promise<IntentSnapshot | Unanswered>;
  /** Another policy may need other facts. */
  note(decision: ServiceDecision): void;
}

const KEPT_MAX = 1_000;

export function factsFor(settings: Settings): Facts {
  let kept = new Map<string, readonly NeededFacts[]>();
  let policyRef: unknown;

  async function neededFor(intent: WriteIntent, snapshot: IntentSnapshot, signal?: AbortSignalLike) {
    const { system, objectType, field, operation } = intent;
    const place = JSON.stringify([system, objectType, field, operation]);
    const into = kept;
    const known = into.get(place);
    if (known !== undefined) return known;
    const answer = await requirements(settings, snapshot, signal === undefined ? {} : { signal });
    if (answer.kind === 'unanswered') return answer;
    if (into.size >= KEPT_MAX) into.clear();
    // If another policy was seen meanwhile, nobody reads this map.
    into.set(place, answer.facts);
    return answer.facts;
  }

  return {
    async add(snapshot, options) {
      const source = options?.facts ?? settings.facts;
      if (source === undefined) return snapshot;
      try {
        const { signal } = options ?? {};
        const intent: WriteIntent = JSON.parse(snapshot.json);
        const needed = await neededFor(intent, snapshot, signal);
        if ('kind' in needed) return needed;
        if (needed.length === 0) return snapshot;
        const items = await (typeof source === 'function'
          ? called(source, needed, JSON.parse(snapshot.json), settings.timeoutMs, signal)
          : asked(settings, source, needed, intent, signal));
        return 'kind' in items ? items : withItems(intent, items);
      } catch {
        return failed('`facts` could not be used');
      }
    },

    note({ profileProvenance }) {
      const seen = own(profileProvenance, 'policyRef');
      if (typeof seen !== 'string' || seen === policyRef) return;
      if (policyRef !== undefined) kept = new Map();
      policyRef = seen;
    },
  };
}

function withItems(intent: WriteIntent, items: readonly unknown[]): IntentSnapshot | Unanswered {
  const given: unknown = intent.controlEvidence ?? [];
  const snapshot = snapshotIntent({ ...intent, controlEvidence: [...(given as EvidenceItem[]), ...items] });
  return snapshot.kind === 'snapshot' ? snapshot : failed('`facts` gave items that are not JSON');
}

/**
 * INVARIANT: a source that fails, or never ends, stops the write. Without it, the check could miss facts
 * against the write.
 */
async function called(
  source: Exclude<FactsSource, FactsReader>,
  needed: readonly NeededFacts[],
  intent: WriteIntent,
  timeoutMs: number,
  signal: AbortSignalLike | undefined,
): Promise<readonly EvidenceItem[] | Unanswered> {
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const given = new Promise<Unanswered>((resolve) => {
    stop = () => resolve(ABORTED);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    timer = setTimeout(() => resolve(failed(`\`facts\` took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    const items = await Promise.race([(async () => ({ items: await source(needed, intent) }))(), given]);
    // An error from the source never counts as an outage, whatever it looks like.
    if ('kind' in items) return items;
    return isList(items.items) ? items.items : failed('`facts` gave no list of evidence items');
  } catch {
    // Not its message, which may hold anything.
    return failed('`facts` threw an error');
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

const ABORTED = unanswered('aborted', 'the caller aborted the check');

async function asked(
  settings: Settings,
  source: FactsReader,
  needed: readonly NeededFacts[],
  { controlEvidence: _, ...intent }: WriteIntent,
  signal: AbortSignalLike | undefined,
): Promise<readonly EvidenceItem[] | Unanswered> {
  const reader = readerOf(source);
  const names = needed.map(({ controlId }) => encodeURIComponent(controlId)).join();
  const answer = await callService(
    { ...settings, baseUrl: reader.url, apiKey: reader.token },
    { path: `?controls=${names}`, body: JSON.stringify(intent), expects: 'a list of facts', signal },
  );
  if (answer.kind === 'unanswered') {
    const { kind, message, ...more } = answer.cause;
    return kind === 'aborted' ? answer : failed(`the facts reader: ${message}`, more);
  }
  const items = own(answer.value, 'controlEvidence');
  return isList(items) ? items : failed('the facts reader gave no list of evidence items');
}

function isList(value: unknown): value is readonly EvidenceItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function failed(message: string, more: Omit<NoDecisionCause, 'kind' | 'message'> = {}): Unanswered {
  return { kind: 'unanswered', cause: { kind: 'facts', message, ...more } };
}
