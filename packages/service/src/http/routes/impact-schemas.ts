/** The schemas of impact runs and their reports. */
import { type JsonSchema, RUN_STATES } from '@writecheck/contract';
import { momentSchema, nullableMomentSchema, textSchema } from './shared-schemas.ts';

const nullableText: JsonSchema = { type: ['string', 'null'] };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };

/** An object with exactly these members, all of them required. */
export function objectOf(properties: { readonly [name: string]: JsonSchema }): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

export function listOfObjects(properties: { readonly [name: string]: JsonSchema }): JsonSchema {
  return { type: 'array', items: objectOf(properties) };
}

export const RUN = objectOf({
  id: textSchema,
  state: { enum: RUN_STATES },
  progress: objectOf({ done: count, total: count }),
  startedAt: momentSchema,
  finishedAt: nullableMomentSchema,
  by: objectOf({ kind: { enum: ['owner_key', 'person'] }, id: textSchema }),
  candidate: objectOf({ digest: nullableText, revision: { type: ['integer', 'null'] } }),
  baseline: { enum: ['running', 'recorded'] },
  from: momentSchema,
  to: momentSchema,
  system: nullableText,
  workflowId: nullableText,
  includeDevelopment: { type: 'boolean' },
  because: nullableText,
  digest: nullableText,
});

const CELLS = objectOf({
  allow: objectOf({ allow: count, pause: count, block: count }),
  pause: objectOf({ allow: count, pause: count, block: count }),
  block: objectOf({ allow: count, pause: count, block: count }),
});
const MATRIX = objectOf({ decisions: CELLS, intents: CELLS });
const SIDE = objectOf({ decision: { enum: ['allow', 'pause', 'block'] }, reason_code: textSchema });
const CHANGED = objectOf({
  decisions: count,
  intents: count,
  share,
  agents: count,
  systems: count,
  workflows: count,
  objects: count,
  byCode: listOfObjects({ code: textSchema, decisions: count, intents: count }),
  byProfile: listOfObjects({ profile: nullableText, decisions: count, intents: count }),
  examples: listOfObjects({ decision_id: textSchema, before: SIDE, after: SIDE }),
});

export const REPORT = objectOf({
  coverage: objectOf({
    decisions: count,
    replayed: count,
    notReplayed: objectOf({ pruned: count, version: count, signature: count, use: count, review: count }),
  }),
  matrix: objectOf({ decision: MATRIX, evaluatedDecision: MATRIX }),
  newlyStopped: CHANGED,
  newlyAllowed: CHANGED,
  rules: objectOf({
    profiles: listOfObjects({ id: textSchema, version: nullableText, applied: count, decided: count }),
    workflows: listOfObjects({ id: textSchema, applied: count, decided: count }),
    controls: listOfObjects({ id: textSchema, applied: count, decided: count }),
  }),
  approximate: { type: 'boolean' },
});

export const ASSESSMENT = objectOf({
  id: textSchema,
  digest: textSchema,
  verdict: { enum: ['ready', 'not_ready'] },
  reasons: listOfObjects({
    code: { enum: ['days', 'decisions', 'stopped'] },
    have: { type: 'number' },
    need: { type: 'number' },
  }),
  status: { enum: ['promoted', 'forced'] },
  profile: textSchema,
  version: nullableText,
  assessedAt: momentSchema,
  observingSince: momentSchema,
  thresholds: objectOf({ minDays: { type: 'number' }, minDecisions: count, maxStopped: share }),
  runRef: textSchema,
  decisions: count,
  stopped: objectOf({
    decisions: count,
    share,
    redeemed: count,
    approved: count,
    byCode: listOfObjects({ code: textSchema, decisions: count }),
  }),
  byKey: listOfObjects({ keyId: textSchema, name: nullableText, decisions: count, stopped: count }),
});
