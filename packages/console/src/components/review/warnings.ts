/** What a reviewer should look at before approving: found in the review itself and in what happened around it, worst first. */
import type { Review } from '@writecheck/api';
import { areLookAlikes, DAY_MS } from '@writecheck/contract';
import { inWords } from '../../picture/durations.ts';
import { cut } from '../cut.ts';
import { type Deception, deceptionsIn, imitatedBy } from '../deceptive-text.ts';
import { fieldInWords, pathOf } from '../member-labels.ts';
import { quoted } from '../quoted.ts';
import { aimedPart } from './aimed-text.ts';
import { type CoveredRow, type ShownWrite, shownWrite } from './covered.ts';

/** A longer list is not read. */
const SHOWN_MAX = 8;

/** Smaller is worse. */
const RANKS = {
  twins: 0,
  imitates: 1,
  reversed: 1,
  hidden: 1,
  blocked: 2,
  aimed: 2,
  differs: 3,
  rejected: 3,
  conflict: 3,
  repeated: 4,
  changed: 4,
  unread: 4,
  named: 4,
  excluded: 5,
} as const;

export type WarningKind = keyof typeof RANKS;

export interface Warning {
  readonly kind: WarningKind;
  /** A sentence, with names in backticks. */
  readonly text: string;
  /** The review or decision that it speaks of. */
  readonly path?: string;
}

/** Whether the warning speaks of an attempt to deceive, rather than of something to think about. */
export function isGrave({ kind }: Warning): boolean {
  return RANKS[kind] <= RANKS.aimed;
}

/** What happened around a write. */
export interface Around {
  /** Blocked or paused today, for this object, with a value that looks like the one in the source. */
  readonly lookAlikes: number;
  /** Other open reviews of the same member of the same object, with another value. */
  readonly conflicting: readonly Review[];
  /** What the same member was last set to, if it is known. */
  readonly lastAllowed?: LastAllowed | null;
  /** Whether a part of it could not be read, so that nobody knows what it would warn of. */
  readonly isUnread?: boolean;
}

export interface LastAllowed {
  readonly value: string;
  readonly decisionId: string;
  readonly at: string;
}

export const NOTHING_AROUND: Around = { lookAlikes: 0, conflicting: [] };
export const UNREAD_AROUND: Around = { lookAlikes: 0, conflicting: [], isUnread: true };

/**
 * INVARIANT: the one list of what needs a tick before an approval. A write with any is approved on its own page only, and
 * the inbox marks its row and lists it first by the same list.
 */
export function warningsOf(review: Review, around = NOTHING_AROUND): readonly Warning[] {
  const found = [...inTexts(review), ...overridden(review), ...happened(review, around)];
  const once = new Map(found.map((warning) => [warning.text, warning]));
  return [...once.values()].sort((a, b) => RANKS[a.kind] - RANKS[b.kind]).slice(0, SHOWN_MAX);
}

/** Kept, because the inbox asks every other second. A review's texts never change; only who asks for it may grow. */
const judged = new Map<string, readonly Warning[]>();
const JUDGED_MAX = 2_000;

/** Whether its texts were looked through; the first look takes half a millisecond. */
export function isJudged(review: Review): boolean {
  return judged.has(keyOf(review));
}

function keyOf({ id, askedBy }: Review): string {
  return `${id} ${askedBy.length}`;
}

function inTexts(review: Review): readonly Warning[] {
  const which = keyOf(review);
  const known = judged.get(which);
  if (known !== undefined) return known;
  const found = judge(review, shownWrite(review.intent));
  if (judged.size >= JUDGED_MAX) judged.clear();
  judged.set(which, found);
  return found;
}

function judge({ askedBy }: Review, { before, after, rows, metadata }: ShownWrite): readonly Warning[] {
  const found: Warning[] = [];
  const areTwins = areLookAlikes(after?.text, before?.text);
  if (areTwins)
    found.push({
      kind: 'twins',
      text: 'The new value looks like the one in the source of record, but differs.',
    });
  // The imitated value is the source's, which another warning names.
  if (after !== null)
    found.push(
      ...deceptive('The new value', after.text, true).filter(({ kind }) => !areTwins || kind !== 'imitates'),
    );
  for (const row of [...rows, ...metadata]) found.push(...deceptive(nameOf(row), row.text, isLookedUp(row)));
  for (const { onBehalfOf, justification } of askedBy) {
    if (onBehalfOf !== null) found.push(...deceptive(PERSON, onBehalfOf, false));
    if (justification !== null) found.push(...deceptive('The justification', justification, false));
  }
  return found;
}

/** Warns that an approval overrides the source of record. */
function overridden({ intent, confirms }: Review): readonly Warning[] {
  if (confirms == null) return [];
  const { agentValue, authorityValue, authoritySource } = intent;
  const differs = typeof authorityValue === 'string' && authorityValue !== agentValue;
  const source = typeof authoritySource === 'string' ? quoted(authoritySource) : 'the source of record';
  const what = differs ? 'has another value' : 'does not confirm this value';
  return [{ kind: 'differs', text: `Approving overrides ${source}, which ${what}.` }];
}

function happened(
  review: Review,
  { lookAlikes, conflicting, lastAllowed = null, isUnread = false }: Around,
): readonly Warning[] {
  const { intent, excludedByCaller = [], earlier = [] } = review;
  const found: Warning[] = [];
  const object = typeof intent.objectType === 'string' ? `this ${intent.objectType}` : 'this object';
  if (lookAlikes > 0) {
    const values =
      lookAlikes === 1 ? '1 more look-alike value was' : `${lookAlikes} more look-alike values were`;
    found.push({ kind: 'blocked', text: `${values} stopped for ${object} in the last 24 hours.` });
  }
  const rejected = earlier.find(({ state }) => state === 'rejected');
  if (rejected !== undefined)
    found.push({
      kind: 'rejected',
      text: 'A reviewer rejected the same write in the last 24 hours.',
      path: `/reviews/${rejected.id}`,
    });
  for (const other of conflicting) {
    const value = `\`${String(other.intent.agentValue ?? 'another value')}\``;
    const which = other.state === 'approved' ? 'An approved review' : 'Another open review';
    const text =
      isSaidOfSource(review) && isSaidOfSource(other)
        ? `${which} would write ${value} here, and says that the source has that value. It can’t have both.`
        : `${which} would write ${value} here.`;
    found.push({ kind: 'conflict', text, path: `/reviews/${other.id}` });
  }
  found.push(...namedOtherwise(review));
  const ran = ranBefore(review);
  if (ran !== null) found.push(ran);
  if (lastAllowed !== null) found.push(...changedLately(review, lastAllowed));
  if (isUnread)
    found.push({ kind: 'unread', text: `Not all that happened to ${object} lately could be read.` });
  if (excludedByCaller.length > 0) {
    const names = excludedByCaller.map(({ name }) => `\`${name}\``).join(', ');
    found.push({
      kind: 'excluded',
      text: `The caller says it asks for ${names}, who therefore may not approve.`,
    });
  }
  return found;
}

/** Whether the caller says that the source has what it writes. */
function isSaidOfSource({ intent: { agentValue, authorityValue } }: Review): boolean {
  return typeof authorityValue === 'string' && authorityValue === agentValue;
}

/** Members that name something: every character of them counts. */
function isLookedUp({ names: [first] }: CoveredRow): boolean {
  return first !== 'metadata';
}

/** The person whom the caller names, in the write or beside it. */
const PERSON = 'The person it is for';

function nameOf({ label, names }: CoveredRow): string {
  if (label === 'For') return PERSON;
  return label === null ? `\`${pathOf(names)}\`` : `${label}:`;
}

const SAID: { readonly [deception in Exclude<Deception, 'imitates'>]: string } = {
  reversed: 'has reversed text',
  hidden: 'has hidden characters',
};

function deceptive(name: string, text: string, isValue: boolean): readonly Warning[] {
  const subject = name.endsWith(':') ? `The ${name.slice(0, -1).toLowerCase()}` : name;
  const found: Warning[] = [];
  for (const kind of deceptionsIn(text, isValue))
    found.push({
      kind,
      text:
        kind === 'imitates'
          ? `${subject} imitates \`${imitatedBy(text, isValue) ?? ''}\`.`
          : `${subject} ${SAID[kind]}.`,
    });
  const aimed = isValue ? null : aimedPart(text);
  if (aimed !== null)
    found.push({
      kind: 'aimed',
      text: `${subject} tells the reviewer what to do: ${quoted(cut(text.slice(aimed.from, aimed.to), QUOTED_MAX))}`,
    });
  return found;
}

/** The whole text stands on the page. */
const QUOTED_MAX = 120;

/** That the member got another value within a day of this request: the object changes more often than it should. */
function changedLately({ intent, openedAt }: Review, last: LastAllowed): readonly Warning[] {
  const { field, agentValue } = intent;
  const isLate = Math.abs(Date.parse(openedAt) - Date.parse(last.at)) >= DAY_MS;
  if (typeof field !== 'string' || agentValue === last.value || isLate) return [];
  const what = fieldInWords(field).replace(/^the /, '').replaceAll('`', '');
  const text = `Another value for this \`${what}\` was allowed ${aroundRequest(openedAt, last.at)}.`;
  return [{ kind: 'changed', text, path: `/decisions/${last.decisionId}` }];
}

/** That an agent calls itself something else than its key. `ap-bot` may have the key `ap-bot-2`. */
function namedOtherwise({ intent, askedBy }: Review): readonly Warning[] {
  const { agent } = (intent.metadata ?? {}) as { readonly agent?: unknown };
  const key = askedBy[0]?.keyName ?? null;
  if (typeof agent !== 'string' || key === null) return [];
  if (agent === key || key.startsWith(`${agent}-`) || agent.startsWith(`${key}-`)) return [];
  const text = `The agent calls itself ${quoted(cut(agent, QUOTED_MAX))}, but its key is ${quoted(key)}.`;
  return [{ kind: 'named', text }];
}

/** Such as "2 min before this request". */
function aroundRequest(openedAt: string, at: string): string {
  const beforeMs = Date.parse(openedAt) - Date.parse(at);
  return `${inWords(Math.abs(beforeMs))} ${beforeMs < 0 ? 'after' : 'before'} this request`;
}

/** That this very write was allowed, or carried out, shortly before. */
function ranBefore({ allowedLately = [], openedAt }: Review): Warning | null {
  const last = allowedLately[0];
  if (last === undefined) return null;
  const text = `This write ${last.redeemedAt === null ? 'was allowed' : 'ran'} ${aroundRequest(openedAt, last.at)}.`;
  return { kind: 'repeated', text, path: `/decisions/${last.decisionId}` };
}
