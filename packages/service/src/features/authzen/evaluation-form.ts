/** AuthZEN as a form of the check: everything between reading the body and writing the response is the same. */
import type { WireForm } from '../../check/parse-request.ts';
import { evaluationError, evaluationsAgain, evaluationTexts } from './evaluation-text.ts';
import { readEvaluation, readEvaluations } from './read-evaluations.ts';

/** `listed` are the members of `context` that the running policy makes part of the write. */
export function evaluationForm(
  kind: 'evaluation' | 'evaluations',
  listed: readonly string[],
  reviewsUrl: () => string,
  prefersWhole: boolean,
): WireForm {
  let isBrief = false;
  return {
    parse(key, body, sized) {
      if (kind === 'evaluation') return readEvaluation(key, body, listed);
      const parsed = readEvaluations(key, body, listed, sized, evaluationError);
      isBrief = !prefersWhole && 'isBatch' in parsed && parsed.isBatch;
      return parsed;
    },
    // INVARIANT: what is decided was mapped under the very policy that decides it.
    mapsAs: ({ authzenContext }) =>
      authzenContext === listed || JSON.stringify(authzenContext) === JSON.stringify(listed),
    textsOf: (decided, texts, envelope) => evaluationTexts(decided, texts, envelope, reviewsUrl, isBrief),
    errorText: evaluationError,
    again: (kept, receiptOf) => evaluationsAgain(kept, receiptOf, isBrief),
  };
}
