/** What a decision says, as far as it is read, and whether that is what a search wants. */
import type { DecisionSummary } from '@writecheck/api';
import { markedCharacters } from '../../components/deceptive-text.ts';
import { isRead, keptDetail, lookAlikesIn } from '../../components/decision/details.ts';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { inWords } from '../../components/decision/said-in-intent.ts';
import { fits, hasWords, saidByIntent } from '../../components/search/fits.ts';
import { LOOK_ALIKE, type Term, type Wanted } from '../../components/search/typed.ts';
import { type Filters, termsOf, typedIn } from './filters.ts';

export interface Sought {
  readonly terms: readonly Term[];
  readonly words: readonly Wanted[];
  /** Whether to know the amount of each that is found. */
  readonly needsAmounts: boolean;
}

export function soughtIn({ q = '', is, order, ...filters }: Filters): Sought {
  const lookAlike = is === undefined ? [] : [{ word: 'is', isNot: false, value: LOOK_ALIKE }];
  const terms = [...termsOf(filters), ...lookAlike];
  const needsAmounts = order !== undefined || terms.some(({ word }) => word === 'amount');
  return { terms, words: typedIn(q).words, needsAmounts };
}

/** Undefined until its values are read. */
export function isMeant(row: DecisionSummary, { terms, words, needsAmounts }: Sought): boolean | undefined {
  const hasTerms = fits(terms, (word) => valuesOf(word, row));
  const hasText = hasTerms !== false && hasAll(words, row);
  if (hasTerms === false || hasText === false) return false;
  const isMissing = hasTerms === undefined || hasText === undefined;
  return isMissing || (needsAmounts && !isRead(row.decision_id)) ? undefined : true;
}

function hasAll(words: readonly Wanted[], row: DecisionSummary): boolean | undefined {
  if (words.length === 0) return true;
  const said = saidBy(row);
  if (isRead(row.decision_id)) return hasWords(words, said);
  // What the list does not say may stand in the values, to be found or to be left out.
  const leftOut = words.filter(({ isNot }) => isNot);
  if (!hasWords(leftOut, said)) return false;
  return leftOut.length === 0 && hasWords(words, said) ? true : undefined;
}

function valuesOf(word: string, row: DecisionSummary): readonly string[] | undefined {
  const said = {
    decision: row.decision,
    reason: row.reason_code,
    system: row.system,
    object: row.objectRef,
    workflow: row.workflowId,
    run: row.runId,
    field: row.field,
  }[word];
  if (said !== undefined) return said === null ? [] : [said];
  // Excluding an agent excludes all keys with its name.
  if (word === 'agent') return row.keyName === null ? [row.keyId] : [row.keyId, row.keyName];
  if (word === 'is' && row.reason_code !== MISMATCH) return [];
  if (!isRead(row.decision_id)) return undefined;
  const detail = keptDetail(row.decision_id);
  if (word === 'is') return lookAlikesIn(row.decision_id) === null ? [] : [LOOK_ALIKE];
  if (word === 'control') return detail?.response.required_controls ?? [];
  return saidByIntent(word, detail?.intent ?? {});
}

/** A value that only looks right is stopped for this reason. */
export const MISMATCH = 'authority_mismatch';

function saidBy(row: DecisionSummary): readonly string[] {
  const detail = keptDetail(row.decision_id);
  const said = [
    row.decision_id,
    row.keyId,
    row.keyName,
    row.system,
    row.objectType,
    row.objectRef,
    row.field,
    row.operation,
    row.workflowId,
    row.runId,
    row.reason_code,
    reasonLabel(row.reason_code),
    ...(detail === undefined
      ? []
      : [detail.intent.agentValue, detail.intent.authorityValue, ...leaves(detail.intent.metadata)]),
  ];
  const texts = said.filter((each) => typeof each === 'string');
  return [...texts, ...texts.flatMap(codesIn)];
}

/** Such as `U+0415`, which the list shows in the place of a character that deceives. */
function codesIn(text: string): readonly string[] {
  if (/^[ -~\n]*$/.test(text)) return [];
  return markedCharacters(text, true).flatMap((odd) => odd?.code ?? []);
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  // An amount is found as it was sent and as the page shows it.
  if (typeof value === 'number')
    return [String(value), inWords({ amount: value, currency: null }), value.toFixed(2)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}
