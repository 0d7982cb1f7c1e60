/** The tricks for speed in reading and deciding an intent, each with the plain way to do the same. */
import { DEPTH_MAX, isName, parseStrictJson } from '@writecheck/contract';
import { readJson } from '../../packages/contract/src/json-reader.ts';
import { isShortAsciiName } from '../../packages/contract/src/read-member.ts';
import type { Case } from './micro-case.ts';
import { benchBody } from './service.ts';

const TEXT = benchBody();
const BODIES = Array.from({ length: 512 }, () => Buffer.from(TEXT));
const NAMES = [
  'crm',
  'contact',
  'email',
  'wf-contacts',
  'agent-7',
  'run-0199f0f0',
  'update',
  'crm:contact:8812',
];
/** As the lists of a snapshot are. */
const FROZEN = Object.freeze(
  ['a', 'b', 'c'].map((id) => Object.freeze({ id, onUnmet: 'pause', onFailed: 'block' })),
);

interface Evaluation {
  controlId: string;
  present: boolean;
  result?: string | undefined;
  source?: string | undefined;
  checkedAt?: string | undefined;
  evidenceRef?: string | undefined;
  fresh?: boolean | undefined;
  status: string;
  effect: string;
}

export const INTENT_CASES: readonly Case[] = [
  {
    name: 'strict-json: JSON.parse if it cannot have hidden anything',
    timesPerCheck: 1,
    trick: (i) => parseStrictJson(BODIES[i % BODIES.length]!),
    plain: (i) => readJson(BODIES[i % BODIES.length]!.toString(), DEPTH_MAX),
  },
  {
    name: 'read-member: short names by character codes',
    timesPerCheck: 12,
    trick: (i) => isShortAsciiName(NAMES[i % NAMES.length]!),
    plain: (i) => isName(NAMES[i % NAMES.length]!),
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
  {
    name: 'evaluate-control: one literal',
    timesPerCheck: 3,
    isOneLine: true,
    trick: (i): Evaluation => ({
      controlId: NAMES[i % NAMES.length]!,
      present: true,
      result: 'PASS',
      source: 'crm',
      checkedAt: i % 3 === 0 ? undefined : TEXT,
      evidenceRef: undefined,
      fresh: true,
      status: 'satisfied',
      effect: 'allow',
    }),
    plain: (i) => {
      const evaluation: Partial<Evaluation> = { controlId: NAMES[i % NAMES.length]!, present: true };
      evaluation.result = 'PASS';
      evaluation.source = 'crm';
      if (i % 3 !== 0) evaluation.checkedAt = TEXT;
      evaluation.fresh = true;
      evaluation.status = 'satisfied';
      evaluation.effect = 'allow';
      return evaluation;
    },
  },
  {
    name: 'decide: one pass',
    timesPerCheck: 1,
    isOneLine: true,
    trick: () => {
      const ids: string[] = [];
      const unmet: string[] = [];
      const failed: string[] = [];
      for (let at = 0; at < FROZEN.length; at += 1) {
        const { id, onUnmet, onFailed } = FROZEN[at]!;
        ids.push(id);
        unmet.push(onUnmet);
        failed.push(onFailed);
      }
      return { ids, unmet, failed };
    },
    plain: () => ({
      ids: FROZEN.map(({ id }) => id),
      unmet: FROZEN.map(({ onUnmet }) => onUnmet),
      failed: FROZEN.map(({ onFailed }) => onFailed),
    }),
  },
];
