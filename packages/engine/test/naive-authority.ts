/** The model's authority gate, with its remedies. */
import type { WriteIntent } from '@writecheck/contract';
import type { ControlDefinition, ProfileDocument } from '../src/policy/documents.ts';
import {
  type Effect,
  type Evidence,
  evaluate,
  fault,
  inShownOrder,
  isOfDesk,
  negative,
  type Status,
  shownOf,
} from './naive-evidence.ts';
import { equalBy } from './naive-text.ts';

export type Remedy = { gate: string; controlId?: string; action: string };
export type Used = { readonly control: ControlDefinition; readonly shown: Evidence };

/** What a status requires if supplying more evidence would not help. */
export const REMEDIES: { readonly [status in Status]?: string } = {
  failed: 'withdraw',
  revoked: 'withdraw',
  unrecognized: 'correct',
};

export interface Surroundings {
  readonly applying: readonly ProfileDocument[];
  /** Too many rules apply: then only a mismatch counts. */
  readonly isExcess: boolean;
  /** The profiles that match, and whose condition does not skip the intent. */
  readonly reads: readonly ProfileDocument[];
  /** The names from covering profiles, for `field` and `operation` alike. */
  readonly given: (namesOf: (profile: ProfileDocument) => readonly string[]) => readonly string[];
  readonly requiresControls: boolean;
  readonly evidence: readonly Evidence[];
  readonly definition: (controlId: string) => ControlDefinition;
  readonly writePolicy: string;
  readonly now: number;
  /** The approval that confirms, if only a certain one may. */
  readonly onlyApproval?: Evidence;
}

/** Everything the gate reads, even if it does not apply. */
export function authorityGate(intent: WriteIntent, around: Surroundings) {
  const { applying, isExcess, given, requiresControls, evidence, definition, writePolicy, now } = around;
  const { authorityFound, authorityValue, authoritySource, agentValue } = intent;
  const asksForValues = ({ authority, match, compare, permit, writePolicy: mode }: ProfileDocument) =>
    authority === 'required' ||
    (authority !== undefined && authority.required !== false) ||
    (match?.field !== undefined && permit !== true && authority === undefined) ||
    compare !== undefined ||
    mode === 'block_on_mismatch';
  const asks = applying.some(asksForValues);
  const sent = authorityFound !== undefined || authorityValue !== undefined || authoritySource !== undefined;
  const applies = sent || asks || !requiresControls;

  const needs = (isExcess ? [] : applying).flatMap(({ authority }) =>
    typeof authority === 'object' ? [authority] : [],
  );
  const lists = needs.flatMap(({ sources }) => (sources === undefined ? [] : [sources]));
  const accepted = lists.every((list) => list.some((one) => one === authoritySource));
  const missing = (asks || !requiresControls) && (agentValue === undefined || authorityValue === undefined);
  const comparators = applying.flatMap(({ compare }) => compare ?? []);
  const differ =
    agentValue !== undefined &&
    authorityValue !== undefined &&
    agentValue !== authorityValue &&
    (given(({ compare }) => (compare === undefined ? [] : [compare])).length === 0 ||
      !comparators.every((one) => equalBy(one, agentValue, authorityValue)));

  const attesting = [...new Set(needs.flatMap(({ attestedBy }) => attestedBy ?? []))].map((controlId) => {
    const control = definition(controlId);
    const { own, status } = evaluate(control, controlId, evidence, now);
    const bad = REMEDIES[status];
    const good = own.filter((one) => {
      const bound = one.facts.kind === 'verified' && one.facts.boundToDigest;
      return bound && !isOfDesk(one) && !negative(one) && !fault(control, one, now);
    });
    return { controlId, control, bad, shown: bad ? undefined : shownOf(good) };
  });

  // Values of an authority that was not found are not compared; otherwise the stricter finding counts.
  const unverified = !accepted || attesting.some(({ shown }) => !shown) || missing;
  const blocks = authorityFound === true && differ && writePolicy === 'block_on_mismatch';
  const effect: Effect = blocks ? 'block' : 'pause';
  const problem = !applies
    ? null
    : authorityFound !== true || (unverified && !blocks)
      ? 'authority_unverified'
      : differ
        ? 'authority_mismatch'
        : null;

  // Every profile that speaks on authority must name the same control, with which a person confirms exactly
  // this difference.
  const speaking = applying.filter(
    (profile) =>
      asksForValues(profile) ||
      (typeof profile.authority === 'object' &&
        (profile.authority.sources !== undefined || profile.authority.attestedBy !== undefined)),
  );
  const named = new Set(
    speaking.map(({ authority }) => (typeof authority === 'object' ? authority.confirmedBy : undefined)),
  );
  const offered = given((profile) => {
    const by = typeof profile.authority === 'object' ? profile.authority.confirmedBy : undefined;
    return by !== undefined && speaking.includes(profile) ? [by] : [];
  });
  const mayConfirm =
    problem !== null &&
    agentValue !== undefined &&
    writePolicy !== 'block_on_mismatch' &&
    named.size === 1 &&
    offered.includes([...named][0] ?? '');
  const confirming = mayConfirm ? [...named][0] : undefined;
  const ofConfirming = evidence.filter(({ item }) => item.controlId === confirming);
  const isOpen = confirming !== undefined && ofConfirming.every((one) => !negative(one));
  const approvals = ofConfirming.filter(
    (one) =>
      isOfDesk(one) &&
      !fault(definition(confirming!), one, now) &&
      one.facts.kind === 'verified' &&
      one.facts.approval?.confirmsAuthority === true,
  );
  const confirmed = isOpen ? (around.onlyApproval ?? shownOf(approvals)) : undefined;
  const awaits = isOpen && confirmed === undefined ? confirming : undefined;
  const code = confirmed === undefined ? problem : null;

  const used = attesting.flatMap(({ control, shown }): Used[] =>
    applies && shown ? [{ control, shown }] : [],
  );
  if (confirmed !== undefined) used.push({ control: definition(confirming!), shown: confirmed });
  const wrong = authorityFound === false || differ || (authoritySource !== undefined && !accepted);
  const reads = around.reads.some(({ when }) => /intent\.(authority|agentValue)/.test(when ?? ''));
  const changes = wrong || authorityFound === undefined || !accepted || missing;
  const objects = code !== null && awaits === undefined;
  return {
    ...{ applies, code, effect, used, lists, attesting, wrong, reads, changes, awaits, objects },
    confirming: confirmed === undefined ? null : { controlId: confirming!, good: inShownOrder(approvals) },
  };
}

type Gate = ReturnType<typeof authorityGate>;

/**
 * What opens the gates of several readings together. Changing the members changes the digest, so evidence bound
 * to it is needed again. Once authority is sent, another gate may apply.
 */
export function authorityRemedies(
  gates: readonly Gate[],
  deciding: Gate,
  supplyOf: (control: ControlDefinition, attested: boolean) => string,
  unbindsFacts: boolean,
) {
  // A gate that a person confirmed or could confirm needs nothing else, unless the members change for the other.
  const objecting = gates.filter(({ objects }) => objects);
  const changes = objecting.some((gate) => gate.changes);
  const asked = changes ? gates : objecting;
  const remedies: Remedy[] = [];
  if (changes) {
    const lists = asked.flatMap((gate) => gate.lists);
    const impossible =
      lists.length > 0 && !lists[0]!.some((source) => lists.every((list) => list.includes(source)));
    const contradicts = asked.some(({ wrong }) => wrong);
    const reads = gates.some((gate) => gate.reads);
    const action = impossible ? 'operator' : contradicts || reads || unbindsFacts ? 'correct' : 'supply';
    remedies.push({ gate: 'authority', action });
  }
  const waiting = (objecting.length > 0 ? [deciding] : [...gates, deciding]).find(({ awaits }) => awaits);
  if (waiting !== undefined)
    remedies.push({ gate: 'authority', controlId: waiting.awaits!, action: 'supply' });
  const attesting = new Map(asked.flatMap((gate) => gate.attesting).map((one) => [one.controlId, one]));
  for (const { controlId, control, bad, shown } of attesting.values()) {
    if (shown && !changes) continue;
    const action = shown ? 'supply' : (bad ?? supplyOf(control, true));
    remedies.push({ gate: 'authority', controlId, action });
  }
  return { changes, remedies };
}
