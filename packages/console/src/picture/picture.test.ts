import { DECISIONS, type Decision, type WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { loadCases } from '../../../../conformance/case.ts';
import { decideCase } from '../../../../conformance/decide-case.ts';
import { ago, coarse, inWords } from './durations.ts';
import { fromResponse, type GateState, type Picture, pictureOf } from './picture.ts';

const EFFECTS: { readonly [state in GateState]: Decision } = {
  passes: 'allow',
  not_asked: 'allow',
  pause: 'pause',
  block: 'block',
};

function rankOf(decision: Decision): number {
  return DECISIONS.indexOf(decision);
}

function strictest({ gates, controls }: Picture): Decision {
  const effects = [
    ...gates.map(({ state }) => EFFECTS[state]),
    ...controls.map(({ evaluation }) => evaluation.effect),
  ];
  return DECISIONS[Math.max(0, ...effects.map(rankOf))]!;
}

describe('the strictest gate that is drawn is the decision, in every golden case', () => {
  test.each(loadCases())('$name', async (conformanceCase) => {
    const response = await decideCase(conformanceCase);
    const intent = Object.fromEntries(
      Object.entries(conformanceCase.intent).filter(([, value]) => value !== null),
    );
    const picture = pictureOf(fromResponse(response), intent as unknown as WriteIntent);
    // The picture shows what stops the write, and what full enforcement would stop.
    const { decision, evaluatedDecision } = response;
    expect(strictest(picture)).toBe(DECISIONS[Math.max(...[decision, evaluatedDecision].map(rankOf))]);
    // Every gate that stops the write says what would satisfy it; every control names who requires it.
    for (const { state, needs } of picture.gates)
      expect(needs.length > 0).toBe(state === 'pause' || state === 'block');
    for (const { evaluation, need, requiredBy } of picture.controls) {
      if (evaluation.effect !== 'allow') expect(need).toMatch(/\w/);
      expect(requiredBy.length).toBeGreaterThan(0);
    }
  });
});

test('a limit beyond which more is required is a gate of its own, and names the control', async () => {
  const asking = loadCases().find(({ name }) => name.startsWith('a-limit-can-require-an-approval-beyond'));
  const picture = pictureOf(
    fromResponse(await decideCase(asking!)),
    asking!.intent as unknown as WriteIntent,
  );
  expect(picture.gates.find(({ gate }) => gate === 'limit')).toMatchObject({
    state: 'pause',
    says: 'This write is beyond `refunds-a-day`',
    needs: [expect.stringContaining('`approval`')],
  });
});

test('a name with a backtick stays within its quotes', async () => {
  const [first] = loadCases();
  const decided = fromResponse(await decideCase(first!));
  const intent = { ...first!.intent, workflowId: 'a` b `c' } as unknown as WriteIntent;
  const { gates } = pictureOf(decided, intent);
  const says = gates.find(({ gate }) => gate === 'workflow')!.says;
  expect(says.split('`')).toHaveLength(3);
  expect(says).toContain('`a\\u{60} b \\u{60}c`');
});

test.each([
  [0, '0 s'],
  [45_000, '45 s'],
  [90_000, '1 min 30 s'],
  [3_600_000, '1 h'],
  [5_400_000, '1 h 30 min'],
  [11 * 3_600_000 + 60_000, '11 h'],
  [50 * 3_600_000, '2 d 2 h'],
])('%i ms are %s', (durationMs, words) => {
  expect(inWords(durationMs)).toBe(words);
});

test('a time in the future is not shown as "ago"', () => {
  expect(ago(-120_000)).toBe('2 min ahead');
  expect(ago(120_000)).toBe('2 min ago');
  // A line must not end between them.
  expect(coarse(14_500_000)).toBe('4\u00a0h');
});
