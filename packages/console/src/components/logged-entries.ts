/** The entries of the log at one moment, proven in this browser, and whether a passkey signed the verdict among them. */

import type { LoggedChange, Review } from '@writecheck/api';
import {
  decodeBase64,
  type Entry,
  type EntryVerdict,
  type LoggedReviewEntry,
  parseEntry,
  SignedVerdicts,
  verifyEntry,
} from '@writecheck/ledger';
import { call, type Reply, success } from '../api.ts';
import { listPeople } from '../calls/people.ts';
import { joined } from '../replies.ts';
import { pinnedKey } from './decision/pinned-key.ts';

export interface LoggedEntry extends LoggedChange {
  /** Null if this browser has no cryptography, as without a secure origin. */
  readonly verdict: EntryVerdict | null;
}

export async function readEntries(at: string, signal: AbortSignal): Promise<Reply<readonly LoggedEntry[]>> {
  const read = await joined([
    call('GET /v1/audit/entries', { query: { at }, signal }),
    call('GET /v1/audit/key', { isText: true, signal }),
  ]);
  if (read.kind === 'failure') return read;
  const [{ entries }, keys] = read.value;
  // A pinned key takes precedence over the keys that the service publishes.
  const trusted = pinnedKey.get() ?? keys;
  const canVerify = window.isSecureContext;
  return success(
    await Promise.all(
      entries.map(async (each) => ({
        ...each,
        verdict: canVerify ? await verifyEntry(each.receipt, trusted) : null,
      })),
    ),
  );
}

function entryIn({ receipt }: LoggedChange): Entry | null {
  const bytes = decodeBase64(receipt.leaf);
  return bytes === null ? null : parseEntry(bytes);
}

/** Null unless the entry is a verdict. `verdict` says whether the log contains it. */
export function verdictIn(logged: LoggedChange): LoggedReviewEntry | null {
  const entry = entryIn(logged);
  return entry?.kind === 'review' && entry.event === 'verdict' ? entry : null;
}

/** Why the signature does not count, if it does not, and the entries that say whose passkey it is. Null for a verdict that claims no passkey. */
export async function signatureOf(entry: LoggedReviewEntry, signal: AbortSignal) {
  const { by, details, timestamp } = entry;
  if (details.identity !== 'passkey' && details.assertion == null) return success(null);
  const people = await listPeople(signal);
  if (people.kind === 'failure') return people;
  const isEarlier = (at: string) => Date.parse(at) <= Date.parse(timestamp);
  const moments = (people.value.changes ?? [])
    .filter(({ personId, event, at }) => personId === by?.id && OF_PASSKEYS.has(event) && isEarlier(at))
    .map(({ at }) => at)
    .sort((a, b) => Date.parse(a) - Date.parse(b));
  const signed = new SignedVerdicts<null>();
  const registered: LoggedEntry[] = [];
  const read = await joined(moments.map((at) => readEntries(at, signal)));
  if (read.kind === 'failure') return read;
  for (const each of read.value.flat()) {
    const person = entryIn(each);
    if (person?.kind !== 'person' || person.person !== by?.id) continue;
    // INVARIANT: a registration that the log does not prove lends its key to no signature.
    if (each.verdict?.ok) signed.addPerson(person);
    registered.push(each);
  }
  if (!window.isSecureContext) return success({ problem: 'this browser cannot verify it', registered });
  const problem = (await signed.addVerdict(entry, null)) ?? (await signed.finish(true))?.message ?? null;
  return success({ problem, registered });
}

/** What makes a passkey count, and what ends it. */
const OF_PASSKEYS: ReadonlySet<string> = new Set(['joined', 'reset', 'disabled']);

interface ProvenVerdict {
  readonly entry: LoggedChange;
  /** Each `leaf` holds a public key, or revokes one. */
  readonly registered: readonly LoggedChange[];
}

/** INVARIANT: a pack that lacks a part is not saved. */
export function needed<T>(reply: Reply<T>): T {
  if (reply.kind === 'failure') throw new Error(reply.message);
  return reply.value;
}

export async function provenVerdicts(
  reviews: readonly Review[],
  signal: AbortSignal,
): Promise<readonly ProvenVerdict[]> {
  const found: ProvenVerdict[] = [];
  for (const { id, verdicts } of reviews)
    for (const at of new Set(verdicts.map((each) => each.at)))
      for (const each of needed(await readEntries(at, signal))) {
        const entry = verdictIn(each);
        if (entry?.review !== id) continue;
        const signature = needed(await signatureOf(entry, signal));
        found.push({ entry: bare(each), registered: (signature?.registered ?? []).map(bare) });
      }
  return found;
}

function bare({ log, receipt }: LoggedChange): LoggedChange {
  return { log, receipt };
}
