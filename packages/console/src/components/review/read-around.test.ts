import type { Review } from '@writecheck/api';
import { expect, test, vi } from 'vitest';
import { knownAround, lookAround, readAround, unknownAround } from './read-around.ts';
import { warningsOf } from './warnings.ts';

const NOW = new Date().toISOString();

interface Decided {
  readonly id: string;
  readonly decision?: 'allow' | 'pause';
  readonly value?: string;
  readonly source?: string;
  /** Whether its values can be read. */
  readonly isReadable?: boolean;
}

const asked: string[] = [];
let decided: readonly Decided[] = [];
let areMore = false;
let isDown = false;

vi.mock('../../api.ts', () => ({
  success: (value: unknown) => ({ kind: 'success', value }),
  call: async (route: string, { in: of }: { readonly in?: { readonly id: string } }) => {
    asked.push(route);
    if (isDown) return { kind: 'failure', code: 'unreachable' };
    if (of === undefined) return { kind: 'success', value: listed() };
    const found = decided.find(({ id }) => id === of.id);
    if (found?.isReadable === false) return { kind: 'failure', code: 'internal_error', status: 500 };
    const intent = { agentValue: found?.value, authorityValue: found?.source };
    return { kind: 'success', value: { decision_id: of.id, intent, response: {} } };
  },
}));

function listed() {
  const decisions = decided.map(({ id, decision = 'allow' }) => ({
    ...{ decision_id: id, decision, timestamp: NOW, objectType: 'vendor', field: 'iban', operation: null },
    reason_code: decision === 'allow' ? 'requirements_met' : 'authority_mismatch',
  }));
  return { decisions, nextCursor: areMore ? 'more' : null };
}

let made = 0;
function review(members: object = {}): Review {
  made += 1;
  const intent = {
    ...{ system: 'erp', objectType: 'vendor', objectRef: 'V-1', field: 'iban', agentValue: 'DE1' },
  };
  const own = { id: `rev_${made}`, decisionId: 'dec_own', openedAt: NOW, resolvedAt: null };
  return { ...own, intent, state: 'open', askedBy: [], ...members } as unknown as Review;
}

const signal = new AbortController().signal;

async function kindsOf(these: readonly Decided[]): Promise<readonly string[]> {
  decided = these;
  const one = review();
  const outcome = await readAround(one, signal);
  if (outcome.kind === 'failure') throw new Error(outcome.code);
  return warningsOf(one, outcome.value).map(({ kind }) => kind);
}

test('another value that was allowed within a day is a warning, the same value is none', async () => {
  expect(await kindsOf([{ id: 'same', value: 'DE1' }])).toEqual([]);
  expect(await kindsOf([{ id: 'other', value: 'DE2' }])).toEqual(['changed']);
  expect(
    await kindsOf([{ id: 'twin', decision: 'pause', value: 'D\u04151', source: 'DE1' }, { id: 'dec_own' }]),
  ).toEqual(['blocked']);
});

test('what could not be read is a warning, never nothing', async () => {
  expect(await kindsOf([{ id: 'unread', isReadable: false }])).toEqual(['unread']);
  expect(await kindsOf([{ id: 'unread stop', decision: 'pause', isReadable: false }])).toEqual(['unread']);
  const many = Array.from({ length: 13 }, (_, at) => ({
    ...{ id: `stop ${at}`, decision: 'pause' as const, value: 'DE3', source: 'DE1' },
  }));
  expect(await kindsOf(many)).toEqual(['unread']);
  areMore = true;
  expect(await kindsOf([{ id: 'same', value: 'DE1' }])).toEqual(['unread']);
  areMore = false;
});

test('a list reads around each review once a minute, and a failure leaves it to be read again', async () => {
  decided = [{ id: 'changed', value: 'DE2' }];
  const one = review();
  isDown = true;
  await lookAround([one], signal);
  expect(unknownAround([one])).toEqual([one]);
  isDown = false;
  await lookAround([one], signal);
  expect(unknownAround([one])).toEqual([]);
  expect(unknownAround([one], Date.now() + 61_000)).toEqual([one]);
  asked.length = 0;
  const around = knownAround(one, [review({ intent: { agentValue: 'DE9' } })]);
  expect(warningsOf(one, around).map(({ kind }) => kind)).toEqual(['conflict', 'changed']);
  expect(asked).toEqual([]);
});
