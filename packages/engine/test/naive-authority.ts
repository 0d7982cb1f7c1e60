/** The model's authority gate, with what would open it. */
import type { WriteIntent } from '@writecheck/contract';
import type { ControlDefinition, ProfileDocument } from '../src/policy/documents.ts';
import {
  type Effect,
  type Evidence,
  evaluate,
  fault,
  negative,
  type Status,
  shownOf,
} from './naive-evidence.ts';
import { equalBy } from './naive-text.ts';

export type Remedy = { gate: string; controlId?: string; action: string };
export type Used = { readonly control: ControlDefinition; readonly shown: Evidence };

/** What a status asks for where supplying more evidence would not help. */
export const REMEDIES: { readonly [status in Status]?: string } = {
  failed: 'withdraw',
  revoked: 'withdraw',
  unrecognized: 'correct',
};

export interface Surroundings {
  readonly applying: readonly ProfileDocument[];
  readonly requiresControls: boolean;
  readonly evidence: readonly Evidence[];
  readonly definition: (controlId: string) => ControlDefinition;
  /** `supply`, or `operator` where nobody could attest. */
  readonly supplyOf: (control: ControlDefinition, attested: boolean) => string;
  readonly writePolicy: string;
  readonly now: number;
}

export function authorityGate(intent: WriteIntent, around: Surroundings) {
  const { applying, requiresControls, evidence, definition, supplyOf, writePolicy, now } = around;
  const { authorityFound, authorityValue, authoritySource, agentValue } = intent;
  const asks = applying.some(
    ({ authority, match, compare, writePolicy: mode }) =>
      authority === 'required' ||
      (authority !== undefined && authority.required !== false) ||
      match?.field !== undefined ||
      compare !== undefined ||
      mode === 'block_on_mismatch',
  );
  const sent = authorityFound !== undefined || authorityValue !== undefined || authoritySource !== undefined;
  if (!sent && !asks && requiresControls) {
    return { code: null, effect: 'allow' as const, changes: false, used: [], remedies: [] };
  }

  const needs = applying.flatMap(({ authority }) => (typeof authority === 'object' ? [authority] : []));
  const lists = needs.flatMap(({ sources }) => (sources === undefined ? [] : [sources]));
  const accepts = (source: string | undefined) => lists.every((list) => list.some((one) => one === source));
  const missing = (asks || !requiresControls) && (agentValue === undefined || authorityValue === undefined);
  const comparators = applying.flatMap(({ compare }) => compare ?? []);
  const differ =
    agentValue !== undefined &&
    authorityValue !== undefined &&
    agentValue !== authorityValue &&
    (comparators.length === 0 || !comparators.every((one) => equalBy(one, agentValue, authorityValue)));

  const attesting = [...new Set(needs.flatMap(({ attestedBy }) => attestedBy ?? []))].map((controlId) => {
    const control = definition(controlId);
    const { own, status } = evaluate(control, controlId, evidence, now);
    const bad = REMEDIES[status];
    const good = own.filter((one) => {
      const bound = one.facts.kind === 'verified' && one.facts.boundToDigest;
      return bound && !negative(one) && !fault(control, one, now);
    });
    return { controlId, control, bad, shown: bad ? undefined : shownOf(good) };
  });

  // Values of an authority that was not found are not compared; otherwise the stricter finding counts.
  const unverified = !accepts(authoritySource) || attesting.some(({ shown }) => !shown) || missing;
  const blocks = authorityFound === true && differ && writePolicy === 'block_on_mismatch';
  const effect: Effect = blocks ? 'block' : 'pause';
  const code =
    authorityFound !== true || (unverified && !blocks)
      ? 'authority_unverified'
      : differ
        ? 'authority_mismatch'
        : null;
  const used = attesting.flatMap(({ control, shown }): Used[] => (shown ? [{ control, shown }] : []));

  const wrong =
    authorityFound === false || differ || (authoritySource !== undefined && !accepts(authoritySource));
  const reads = applying.some(({ when }) => /intent\.(authority|agentValue)/.test(when ?? ''));
  const impossible = lists.length > 0 && !lists[0]!.some(accepts);
  // Changing these members changes the digest, so what is bound to it is needed again.
  const changes = wrong || authorityFound === undefined || !accepts(authoritySource) || missing;
  const remedies: Remedy[] = [];
  if (changes) {
    remedies.push({
      gate: 'authority',
      action: impossible ? 'operator' : wrong || reads ? 'correct' : 'supply',
    });
  }
  for (const { controlId, control, bad, shown } of attesting) {
    if (shown && !changes) continue;
    const action = shown ? 'supply' : (bad ?? supplyOf(control, true));
    remedies.push({ gate: 'authority', controlId, action });
  }
  return { code, effect, changes, used, remedies };
}
