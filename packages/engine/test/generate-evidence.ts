/**
 * Seeded evidence items with the facts about their attestations: good and flawed ones, many exactly on a
 * boundary.
 */
import {
  type AttestationChecks,
  type EvidenceItem,
  type JsonObject,
  NO_ATTESTATION,
} from '@writecheck/contract';
import type { ControlDefinition } from '../src/policy/documents.ts';
import { RECORDS } from './conditions.ts';
import type { Dice } from './dice.ts';
import { SOURCES } from './generate-bundle.ts';

/** An item before it is serialized: its content and its form. */
export interface Draft {
  controlId: string;
  source: string;
  result: string;
  ageMs: number | null;
  checkedForm: 'utc' | 'offset' | 'fine' | 'local';
  expiresInMs: number | null;
  expiresForm: 'utc' | 'local';
  evidenceRef: string | null;
  attestation: 'none' | 'rejected' | 'unlooked' | 'verified';
  checkedInClaimOnly: boolean;
  attestationExpiresInMs: number | null;
  boundToDigest: boolean;
  boundToObject: boolean;
  revoked: boolean;
  usedUp: boolean;
  jti: string;
  /** The people of an approval, if it is one. */
  people: readonly string[] | null;
  confirmsAuthority: boolean;
  /** The facts in it. */
  facts?: JsonObject | undefined;
}

const edges = (ms: number): readonly number[] => [ms - 1, ms, ms + 1];
const AGES_MS = [0, 1000, ...edges(60_000), ...edges(900_000), ...edges(3_600_000), 86_400_000];
const AHEAD_MS = [-1, ...edges(-60_000), -3_600_000];
const EXPIRIES_MS = [...edges(0), 1000, 250_000, 3_600_000, -86_400_000];
const RESULTS = ['FAIL', 'FAIL', 'REVOKED', 'pass', 'PASS ', 'OK', 'fail'] as const;
export function goodDraft(dice: Dice, controlId: string, control: ControlDefinition): Draft {
  const attested = control.assurance === 'attested' || dice.chance(12);
  const byPerson = control.review !== undefined && dice.chance(60);
  const draft: Draft = {
    controlId,
    source: byPerson ? 'review-desk' : dice.pick(control.sources ?? SOURCES),
    result: 'PASS',
    ageMs:
      control.maxAge === undefined && dice.chance(30) ? null : dice.pick([0, 1000, 30_000, 59_999, 60_000]),
    checkedForm: dice.pick(['utc', 'utc', 'offset', 'fine']),
    expiresInMs: dice.chance(20) ? dice.pick([1, 1000, 250_000, 3_600_000]) : null,
    expiresForm: 'utc',
    evidenceRef: dice.chance(20) ? dice.pick(['ref-1', 'ref-2']) : null,
    attestation: attested ? 'verified' : 'none',
    checkedInClaimOnly: dice.chance(20),
    attestationExpiresInMs:
      control.maxAge !== undefined && dice.chance(40) ? null : dice.pick([1, 200_000, 400_000]),
    boundToDigest: control.bind !== 'object' || dice.chance(30),
    boundToObject: control.bind === 'object',
    revoked: false,
    usedUp: false,
    jti: dice.pick(['j1', 'j2', 'j3']),
    people: dice.pick([['ann'], ['bob'], ['cid'], ['ann', 'dan'], null]),
    confirmsAuthority: dice.chance(90),
    facts: control.facts === true ? dice.pick(RECORDS) : undefined,
  };
  // The service binds an approval to the write, and it always ends.
  if (!byPerson) return draft;
  const attestationExpiresInMs = dice.pick([1, 200_000, 400_000]);
  return { ...draft, attestation: 'verified', boundToDigest: true, attestationExpiresInMs };
}

export const BLEMISHES = 15;

export function blemish(dice: Dice, draft: Draft, which: number): void {
  switch (which) {
    case 0:
    case 13:
      draft.result = 'FAIL';
      return;
    case 1:
      draft.result = dice.pick(RESULTS);
      return;
    case 14:
      draft.result = 'pass';
      return;
    case 2:
      draft.ageMs = 86_400_000;
      return;
    case 3:
    case 4:
      draft.ageMs = dice.pick(AGES_MS);
      return;
    case 5:
      draft.ageMs = dice.pick(AHEAD_MS);
      return;
    case 6:
      if (dice.chance(50)) draft.ageMs = null;
      else draft.checkedForm = 'local';
      return;
    case 7:
      draft.expiresInMs = dice.chance(50) ? 0 : dice.pick(EXPIRIES_MS);
      if (dice.chance(20)) draft.expiresForm = 'local';
      return;
    case 8:
      draft.source = dice.pick(SOURCES);
      return;
    case 9:
      draft.attestation = dice.pick(['none', 'rejected', 'unlooked', 'verified']);
      return;
    case 10:
      draft.boundToDigest = dice.chance(50);
      draft.boundToObject = dice.chance(50);
      return;
    case 11:
      if (dice.chance(50)) draft.revoked = true;
      else draft.usedUp = true;
      return;
    default:
      draft.attestationExpiresInMs = dice.pick([null, -1, 0, 1]);
  }
}

/** Written by hand: a Date per timestamp would dominate the run. */
const wholeSeconds = new Map<number, string>();
function utcSecond(second: number): string {
  let text = wholeSeconds.get(second);
  if (text === undefined) {
    text = new Date(second * 1000).toISOString().slice(0, 19);
    wholeSeconds.set(second, text);
  }
  return text;
}

function write(atMs: number, form: Draft['checkedForm']): string {
  const second = Math.floor(atMs / 1000);
  const fraction = `.${String(atMs - second * 1000).padStart(3, '0')}`;
  switch (form) {
    case 'utc':
      return `${utcSecond(second)}${fraction}Z`;
    case 'offset':
      return `${utcSecond(second + 7200)}${fraction}+02:00`;
    case 'fine':
      return `${utcSecond(second)}${fraction}999Z`;
    case 'local':
      return `${utcSecond(second)}${fraction}`;
  }
}

export function settle(
  draft: Draft,
  at: number,
  nowMs: number,
): { item: EvidenceItem; facts: AttestationChecks } {
  const checkedAtMs = nowMs - (draft.ageMs ?? 1000);
  const verified = draft.attestation === 'verified';
  // A verified item states only what its claims state: if it names a time, it is that one.
  const silent =
    draft.ageMs === null || (verified && (draft.checkedInClaimOnly || draft.checkedForm === 'local'));
  // An item of the review desk names its review, so that what is known about it follows from the item.
  const isOfDesk = draft.source === 'review-desk';
  const evidenceRef = isOfDesk ? `urn:writecheck:review:rev_${at}` : draft.evidenceRef;
  const item: EvidenceItem = {
    controlId: draft.controlId,
    source: draft.source,
    result: draft.result,
    ...(silent ? {} : { checkedAt: write(checkedAtMs, draft.checkedForm) }),
    ...(draft.expiresInMs === null ? {} : { expiresAt: write(nowMs + draft.expiresInMs, draft.expiresForm) }),
    ...(evidenceRef === null ? {} : { evidenceRef }),
    // The review desk signs nothing: only the service finds what backs its item.
    ...(draft.attestation === 'none' || (verified && isOfDesk) ? {} : { attestation: `jws-${at}` }),
  };
  if (draft.attestation === 'rejected') return { item, facts: { kind: 'rejected', why: 'signature' } };
  if (!verified) return { item, facts: NO_ATTESTATION };
  const jti = isOfDesk ? `rev_${at}:${draft.controlId}` : draft.jti;
  const { boundToDigest, boundToObject, revoked, usedUp, people, confirmsAuthority } = draft;
  const expiresAtMs = draft.attestationExpiresInMs === null ? null : nowMs + draft.attestationExpiresInMs;
  const known = { checkedAtMs, expiresAtMs, boundToDigest, boundToObject, revoked, usedUp };
  const isApproval = isOfDesk && people !== null;
  return {
    item,
    facts: {
      kind: 'verified',
      jti,
      ...known,
      ...(isApproval ? { approval: { by: people, confirmsAuthority } } : {}),
      ...(draft.facts === undefined ? {} : { facts: draft.facts }),
    },
  };
}
