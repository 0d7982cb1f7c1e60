/** The optimizations in reading and deciding an intent, each with the plain version for comparison. */
import { DEPTH_MAX, parseStrictJson } from '@writecheck/contract';
import { readJson } from '../../packages/contract/src/json-reader.ts';
import type { Case } from './micro-case.ts';
import { benchBody } from './service.ts';

const TEXT = benchBody();
const BODIES = Array.from({ length: 512 }, () => Buffer.from(TEXT));
/** Frozen like the lists of a snapshot. */
const FROZEN = Object.freeze(['a', 'b', 'c'].map((id) => Object.freeze({ id })));

export const INTENT_CASES: readonly Case[] = [
  {
    name: 'strict-json: JSON.parse if it cannot have hidden anything',
    timesPerCheck: 1,
    trick: (i) => parseStrictJson(BODIES[i % BODIES.length]!),
    plain: (i) => readJson(BODIES[i % BODIES.length]!.toString(), DEPTH_MAX),
  },
  {
    name: 'resolve-requirements: frozen lists by index',
    timesPerCheck: 20,
    isOneLine: true,
    trick: () => {
      let length = 0;
      for (let at = 0; at < FROZEN.length; at += 1) length += FROZEN[at]!.id.length;
      return length;
    },
    plain: () => {
      let length = 0;
      for (const { id } of FROZEN) length += id.length;
      return length;
    },
  },
];
