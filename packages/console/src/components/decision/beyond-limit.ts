/** Why a write needs an approval that smaller ones do not: it goes beyond a limit that requires controls from there on. */
import type { DecisionDetail } from '@writecheck/api';
import { areLookAlikes, type DecisionResponse, type LimitState } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { groupOf, type Looked, limitIn } from '../../picture/limit-group.ts';
import { groupWords, ordinal, overBy, placeOf, windowWords, withUnit } from '../../picture/limit-words.ts';
import { valuesOf } from '../../picture/record-facts.ts';
import { quoted, shown } from '../quoted.ts';
import { BEYOND, LOOK_ALIKE, reasonLabel } from './reason-labels.ts';
import { evidenceIn } from './said-in-intent.ts';

/** What the limits of a recorded decision count by. */
export function lookedOf({ intent, keyName, keyId, response: { facts = [] } }: DecisionDetail): Looked {
  return {
    intent,
    keyName: keyName ?? keyId,
    factsOf: (controlId) => {
      const reading = facts.find((each) => each.controlId === controlId);
      return reading === undefined ? null : valuesOf(reading, evidenceIn(intent));
    },
  };
}

/** The limits without which nothing would be missing; none if a profile requires something that is missing too. */
function causes(response: DecisionResponse): readonly LimitState[] {
  const { decision, reason_code: code, requirementProvenance, limits = [] } = response;
  if (decision === 'allow' || !code.startsWith('CONTROL_EVIDENCE_')) return [];
  const sources = unmetIn(response).flatMap(
    (id) => requirementProvenance.find(({ controlId }) => controlId === id)?.sources ?? [''],
  );
  if (!sources.every((source) => source.startsWith('limit:'))) return [];
  const ids = new Set(sources.map((source) => source.slice('limit:'.length).replace(/@\d+$/, '')));
  return limits.filter(({ id, beyond, observed }) => beyond && !observed && ids.has(id));
}

/** Whether the agent's value only looks like the one in the source. */
export function isLookAlike({ response, intent }: Pick<DecisionDetail, 'response' | 'intent'>): boolean {
  const { agentValue, authorityValue } = intent;
  return (
    response.reason_code === 'authority_mismatch' &&
    typeof agentValue === 'string' &&
    typeof authorityValue === 'string' &&
    areLookAlikes(agentValue, authorityValue)
  );
}

/** The reason in a few words; a limit counts more than the evidence that it made necessary. */
export function reasonInShort(detail: Pick<DecisionDetail, 'response' | 'intent'>): string {
  const { response } = detail;
  if (isLookAlike(detail)) return reasonLabel(LOOK_ALIKE);
  if (causes(response).length > 0) return reasonLabel(BEYOND);
  if (response.reason_code !== 'CONTROL_EVIDENCE_MISSING') return reasonLabel(response.reason_code);
  return canReview(response) ? 'Needs approval' : 'Check missing';
}

function unmetIn({ controlEvaluations }: DecisionResponse): readonly string[] {
  return controlEvaluations.filter(({ effect }) => effect !== 'allow').map(({ controlId }) => controlId);
}

/** Whether the approval of a review is all that is missing. */
function canReview(response: DecisionResponse): boolean {
  return unmetIn(response).every((id) => response.review?.controls.includes(id));
}

/** Null if no limit is the cause. */
export function beyondInWords(detail: DecisionDetail, documents: readonly PolicyDocument[]): string | null {
  const { response } = detail;
  const limits = causes(response);
  if (limits.length === 0) return null;
  const then = canReview(response)
    ? 'Beyond that, a person must approve.'
    : `Beyond that, the write needs ${unmetIn(response).map(quoted).join(', ')}.`;
  return [...limits.map((limit) => howFar(limit, documents, lookedOf(detail))), then].join(' ');
}

function howFar(limit: LimitState, documents: readonly PolicyDocument[], looked: Looked): string {
  const { id, max, drawn, draw, per } = limit;
  if (drawn === null || draw === null)
    return `The amount of this write can’t be read, so it counts as beyond ${quoted(id)}.`;
  const document = limitIn(documents, id);
  const { unit, parts } =
    document === null ? { unit: null, parts: [] } : groupWords(document, groupOf(document, looked));
  const named = parts.map(({ name, text }) => `${name === null ? '' : `${name} `}${shown(text)}`);
  const forWhom = named.length === 0 ? '' : ` for ${named.join(', ')}`;
  const over = overBy(limit);
  if (over === null) return `This write is beyond the limit ${quoted(id)}${forWhom}.`;
  return unit === 'writes'
    ? `This is the ${ordinal(placeOf(drawn))} write${forWhom} ${windowWords(per)}; ${quoted(id)} allows ${withUnit(max, null)}.`
    : `${withUnit(draw, unit)} goes ${withUnit(over, unit)} beyond the limit${forWhom} ${windowWords(per)}, ${quoted(id)}.`;
}
