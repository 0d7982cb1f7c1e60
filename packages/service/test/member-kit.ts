/** People over the wire: invites somebody with an owner key, and lets them join without a browser. */
import { randomBytes } from 'node:crypto';
import { parseEntry } from '@writecheck/ledger';
import type { Store } from '@writecheck/store/port';
import { expect } from 'vitest';
import { joinWithPasskey } from '../src/features/people/join.ts';
import type { PeopleParts } from '../src/features/people/people-parts.ts';
import { Sessions } from '../src/features/people/sessions.ts';
import { SteadyClock } from '../src/support/clocks/steady-clock.ts';
import { ask } from './ask.ts';
import type { TestService } from './start-service.ts';

export interface Member {
  readonly id: string;
  readonly email: string;
  /** The token of their session. */
  readonly token: string;
}

/** The parts that signing in uses, besides the service's own. */
export function roomOf(store: Store): PeopleParts {
  const publicUrl = () => 'http://localhost';
  return { store, clock: new SteadyClock(0, null), sessions: new Sessions(store, () => Infinity), publicUrl };
}

export const newEmail = (): string => `${randomBytes(6).toString('hex')}@example.com`;

export function newPasskey(nowMs: number) {
  const id = randomBytes(16).toString('base64url');
  return { id, publicKey: 'pQEC', algorithm: -7, signCount: 0, registeredAtMs: nowMs };
}

export function tokenIn(url: string): string {
  return url.slice(url.indexOf('#') + 1);
}

export async function invite(service: TestService, members: object = {}, key = service.ownerKey) {
  const wish = { name: 'Ada Lovelace', email: newEmail(), roles: ['reviewer'], ...members };
  const { status, body, text } = await ask(`${service.url}/v1/people`, { key, json: wish });
  expect(status, text).toBe(201);
  return { person: body.person, token: tokenIn(body.invitation.url), invitation: body.invitation };
}

/** Invited and joined, with a session. */
export async function newMember(
  service: TestService,
  roles: readonly string[],
  nowMs: number,
  members: object = {},
): Promise<Member> {
  const { person, token } = await invite(service, { roles, ...members });
  const joined = await joinWithPasskey(roomOf(service.store), token, newPasskey(nowMs), 'localhost', nowMs);
  if (joined.kind === 'refused') throw new Error(joined.message);
  return { id: person.id, email: person.email, token: joined.session.token };
}

/** Every entry about this person, in order. */
export async function entriesOf(store: Store, personId: string) {
  const entries = [];
  for (const { log } of await store.logs()) {
    for (const segment of await store.segments(log, 0, 10_000)) {
      entries.push(...segment.entries.map(({ leaf }) => parseEntry(leaf)));
    }
  }
  return entries.filter((entry) => entry?.kind === 'person').filter(({ person }) => person === personId);
}
