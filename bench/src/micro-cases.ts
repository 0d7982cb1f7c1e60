/** The optimizations on the way of a check, each with the plain version for comparison. */
import { randomBytes } from 'node:crypto';
import { isoTime, parseInstant } from '@writecheck/contract';
import { HeadReader } from '@writecheck/service/edge/connection/plain-request';
import { credentialOf } from '@writecheck/service/features/keys/authenticate';
import { newId, randomHex } from '@writecheck/service/support/ids/new-id';
import { rememberLast } from '@writecheck/service/support/remember-last';
import { countQuotes } from '../../packages/contract/src/count-quotes.ts';
import type { Case } from './micro-case.ts';
import { COMMIT_CASES } from './micro-commit-cases.ts';
import { INTENT_CASES } from './micro-intent-cases.ts';
import { benchBody, requestOf } from './service.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12);
/** One process makes about this many checks a millisecond. */
const CHECKS_PER_MS = 10;
const msOf = (i: number): number => NOW_MS + Math.floor(i / CHECKS_PER_MS);

const BODY = Buffer.from(benchBody());
/** Many, because V8 reads a single constant buffer faster than any body that arrives. */
const BODIES = Array.from({ length: 512 }, () => Buffer.from(BODY));
const HEAD = requestOf(`wck_live_${'A'.repeat(38)}`, BODY.toString()).split('\r\n\r\n')[0]!;
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?$/;

const dateOf = rememberLast((second: number) => new Date(second * 1_000).toUTCString());
const heads = new HeadReader();
const credentialFor = rememberLast(credentialOf);

export const CASES: readonly Case[] = [
  {
    name: 'instants: by character codes',
    timesPerCheck: 10,
    trick: () => parseInstant('2026-11-15T12:00:00.000Z'),
    plain: () => {
      const [, year, month, day, hour, minute, second, fraction = '', zone] =
        RFC_3339.exec('2026-11-15T12:00:00.000Z') ?? [];
      const ms = Date.UTC(
        Number(year),
        Number(month) - 1,
        Number(day),
        Number(hour),
        Number(minute),
        Number(second),
      );
      return { ms: ms + Number(fraction.slice(0, 3)), hasOffset: zone !== undefined, fraction };
    },
  },
  {
    name: 'count-quotes: four bytes at a time',
    timesPerCheck: 1,
    trick: (i) => countQuotes(BODIES[i % BODIES.length]!),
    plain: (i) => {
      const body = BODIES[i % BODIES.length]!;
      let quotes = 0;
      for (let at = 0; at < body.length; at += 1) if (body[at] === 0x22) quotes += 1;
      return quotes;
    },
  },
  {
    // A request, its trace, its decision and its audit entry.
    name: 'random-hex: pool of random digits',
    timesPerCheck: 4,
    trick: () => randomHex(19),
    plain: () => randomBytes(10).toString('hex').slice(1),
  },
  {
    name: 'new-id: remembered millisecond',
    isOneLine: true,
    timesPerCheck: 3,
    trick: (i) => newId('dec_', msOf(i)),
    plain: (i) => newId('dec_', NOW_MS + i),
  },
  {
    // The record, the leaf and the response, the time now and the end of the allow.
    name: 'iso-time: remembered moments',
    timesPerCheck: 5,
    trick: (i) => isoTime(msOf(i)),
    plain: (i) => new Date(msOf(i)).toISOString(),
  },
  {
    name: 'plain-connection: remembered head',
    timesPerCheck: 1,
    trick: () => credentialFor(heads.read(`${HEAD}`)?.header('authorization')),
    plain: () => credentialOf(new HeadReader().read(HEAD)?.header('authorization')),
  },
  {
    name: 'respond: remembered date',
    isOneLine: true,
    timesPerCheck: 1,
    trick: (i) => dateOf(Math.floor(i / 10_000)),
    plain: (i) => new Date(Math.floor(i / 10_000) * 1_000).toUTCString(),
  },
  ...INTENT_CASES,
  ...COMMIT_CASES,
];
