import { expect, test } from 'vitest';
import { type AdminEvent, idOf } from './admin-events.ts';

test('two keys of one name that are revoked at the same time are two events', () => {
  const revoked: AdminEvent = {
    at: '2026-11-18T10:00:00.000Z',
    event: 'key.revoked',
    what: 'Revoked the live key `ap-bot`',
    by: 'Owner key',
    path: '/keys',
    actor: { kind: 'key', id: 'key_1' },
    subject: 'key_2',
  };
  expect(idOf(revoked)).toBe(idOf({ ...revoked }));
  expect(idOf({ ...revoked, subject: 'key_3' })).not.toBe(idOf(revoked));
});
