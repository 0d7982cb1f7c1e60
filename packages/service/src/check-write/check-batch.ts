/** A batch of checks: each is parsed, charged and recorded on its own, and all of them share one commit. */
import { parseBatch } from '@writecheck/contract';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import { type CheckAnswer, decisionAnswer, NO_HEADERS, problemAnswer, problemText } from './answer.ts';
import { answerOnce, type CheckCall, type CheckParts, callerOf, guarded } from './check-write.ts';
import { type Check, digestOf } from './decide-check.ts';
import { idempotencyKey } from './idempotency.ts';
import { prefersReceipt } from './receipts.ts';
import { outOfScope } from './scope.ts';

export const checkBatch = (parts: CheckParts, call: CheckCall): Promise<CheckAnswer> =>
  guarded(parts, call, async (identity, turn) => {
    const parsed = parseBatch(call.body);
    if (parsed.kind === 'refused')
      return problemAnswer(identity, refuse(parsed.code, parsed.message, parsed.details));
    turn.isFor(parsed.checks.length);
    call.onSized?.(parsed.checks.length);

    const idempotency = idempotencyKey(call.idempotencyHeader, 'batch', call.body);
    if (idempotency !== null && isRefusal(idempotency)) return problemAnswer(identity, idempotency);

    const items = parsed.checks.map(({ parsed: own, bytes }): Check | Refusal => {
      if (own.kind === 'refused') return refuse(own.code, own.message, own.details);
      const { intent, warnings } = own;
      return outOfScope(call.key, intent) ?? { intent, warnings, bytes, digest: digestOf(intent) };
    });
    const checks = items.filter((item): item is Check => !isRefusal(item));
    // Where the month is used up it is the same refusal for each.
    let last: { readonly refusal: Refusal; readonly text: string } | null = null;
    const textOf = (answer: string | Refusal): string => {
      if (typeof answer === 'string') return answer;
      if (last?.refusal !== answer) last = { refusal: answer, text: problemText(identity, answer) };
      return last.text;
    };
    const frame = frameOf(items, textOf);
    if (checks.length === 0) return decisionAnswer(frame.join(''), NO_HEADERS);

    const wantsReceipts = prefersReceipt(call.preferHeader);
    const asked = { caller: callerOf(call), identity, checks, idempotency, frame, wantsReceipts };
    return answerOnce(parts, asked, (answers) =>
      frame.reduce((body, piece, i) => body + textOf(answers[i - 1]!) + piece),
    );
  });

/** What stands before, between and after the answers of the items that are decided. */
const frameOf = (
  items: readonly (Check | Refusal)[],
  textOf: (refusal: Refusal) => string,
): readonly string[] => {
  const frame = ['{"results":['];
  for (const [i, item] of items.entries()) {
    if (i > 0) frame[frame.length - 1] += ',';
    if (isRefusal(item)) frame[frame.length - 1] += textOf(item);
    else frame.push('');
  }
  frame[frame.length - 1] += ']}';
  return frame;
};
