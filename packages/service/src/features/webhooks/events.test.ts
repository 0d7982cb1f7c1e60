/** Events are the entries that people hear of, without the texts and values that an entry may contain. */
import { expect, test } from 'vitest';
import { NOTED_SAMPLES } from '../../../../ledger/test/noted-samples.ts';
import { eventOf, eventsOf } from './events.ts';

const LINKS = { decision: (id: string) => `/decisions/${id}`, review: (id: string) => `/reviews/${id}` };

const read = async (entry: object) => {
  const noted = { index: 7, workspace: 'ws_1', entry: { ...entry }, target: null, runId: null };
  // Only entries of reviews read the store.
  return eventsOf({ store: null as never, links: LINKS }, 'ws_1', [noted]);
};

test('every kind of noted entry is an event of its name, without texts, values or digests of texts', async () => {
  for (const sample of NOTED_SAMPLES) {
    const [event] = await read(sample);
    expect(event).toMatchObject({ index: 7, type: sample.kind, data: { workspace: sample.workspace } });
    if ('by' in sample) expect(event!.data.by).toEqual(sample.by);
    for (const member of ['jti', 'reason', 'reasonDigest', 'noteDigest', 'amount', 'steps', 'roles'])
      expect(event!.data).not.toHaveProperty(member);
  }
});

test('a text is cut at 200 characters, and a member that nobody chose to show stays in the log', async () => {
  const entry = { kind: 'evidence.revoked', workspace: 'ws_1', timestamp: '2026-11-17T04:00:00.000Z' };
  const [event] = await read({ ...entry, source: 'x'.repeat(300), added: 'later' });
  expect(event!.data).toEqual({ workspace: 'ws_1', source: 'x'.repeat(200) });
});

test('allows, frozen writes, redemptions and unknown kinds are no events', () => {
  expect(eventOf({ decision: 'pause', reason_code: 'limit_exceeded' })).toBe('decision.paused');
  for (const entry of [
    { decision: 'allow', reason_code: 'requirements_met' },
    { decision: 'pause', reason_code: 'frozen' },
    { kind: 'redemption' },
    { kind: 'continuation' },
    { kind: 'constructor' },
    { kind: 'review', event: 'unheard' },
  ])
    expect([entry, eventOf(entry)]).toEqual([entry, null]);
});
