/** The shape of every kind of document in a bundle. */
import {
  amountOfNumber,
  amountOfText,
  CONTROL_CODES,
  DECISIONS,
  GATE_CODES,
  type JsonObject,
  REVIEW_DESK,
} from '@writecheck/contract';
import { RULES_ON_INTENT_MAX } from '../intent-limits.ts';
import { amount, either, list, object, onlyTrue, open, table, text, word } from './build-shape.ts';
import { CONTROLS } from './control-shapes.ts';
import { LIMIT } from './limit-shapes.ts';
import {
  AUTHORITY,
  CONFIRMED_OR_BLOCKED,
  DIFFERENT,
  kind,
  match,
  NO_VALUES_TO_COMPARE,
  OBSERVE_UNTIL,
  OBSERVE_UNTIL_NEEDS_OBSERVE,
  PERMIT_NEEDS_NOTHING,
  REQUIRE,
  VERSION,
  WHEN,
  WRITE_POLICY,
} from './profile-shapes.ts';
import { JWK_LIST } from './public-jwk.ts';
import type { Rule, Shape } from './shape.ts';
import { CONTROL_ID, dateTime, name } from './text-shapes.ts';

const AUTHZEN_CONTEXT_MAX = 64;

const DRAWN_AMOUNT = either('a number, or decimal text', [
  amount((value) => refuseAmount(amountOfNumber(value))),
  text({
    what: 'decimal text such as `480` or `12.50`',
    pattern: /^[0-9]+(?:[.][0-9]+)?$/u,
    maxLength: 64,
    refuse: (value) => refuseAmount(amountOfText(value)),
  }),
]);

function refuseAmount(amount: bigint | null): string | null {
  return amount === null ? 'must be at least 0 with at most 15 digits, 6 of them after the point' : null;
}

const REASON_CODES = [
  ...GATE_CODES,
  ...Object.values(CONTROL_CODES).filter((code) => code !== 'CONTROL_SATISFIED'),
];

const NOT_THE_DESK: Rule = {
  at: '/id',
  message: `\`${REVIEW_DESK}\` is the built-in source of reviews; give this source another id`,
  holds: ({ id }) => id !== REVIEW_DESK,
  schema: { not: { required: ['id'], properties: { id: { const: REVIEW_DESK } } } },
};

export const DOCUMENT_SHAPES = {
  ControlPack: object(
    'a ControlPack',
    ['kind', 'id', 'controls'],
    {
      kind: kind('ControlPack'),
      id: name('an id', 'Names the pack in profiles and provenance.'),
      version: VERSION,
      controls: CONTROLS,
    },
    { description: 'Defines what evidence each of its controls requires.' },
  ),
  Profile: object(
    'a Profile',
    ['kind', 'id'],
    {
      kind: kind('Profile'),
      id: name('an id', 'Names the profile in workflows and provenance.'),
      version: VERSION,
      controlPack: name('the id of a ControlPack', 'Shown in provenance; must be in the bundle.'),
      match: match('Which writes the profile is for; default: all.'),
      absent: word(
        ['skip'],
        'For a match on one of `field` and `operation`: skips an intent that has only the other.',
      ),
      permit: onlyTrue('These writes need nothing of their own; what else applies still counts.'),
      when: WHEN,
      require: REQUIRE,
      authority: AUTHORITY,
      different: DIFFERENT,
      requester: word(['required'], 'A review of the write must say on whose behalf it is asked.'),
      compare: word(
        ['number', 'caseless', 'trimmed', 'instant'],
        'When differing values count as equal; default: never.',
      ),
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
    },
    {
      description: 'Says what a kind of write requires.',
      rules: [
        OBSERVE_UNTIL_NEEDS_OBSERVE,
        ...PERMIT_NEEDS_NOTHING,
        ...NO_VALUES_TO_COMPARE,
        CONFIRMED_OR_BLOCKED,
      ],
    },
  ),
  Workflow: object(
    'a Workflow',
    ['kind', 'id'],
    {
      kind: kind('Workflow'),
      id: name('an id', 'The workflowId callers send.'),
      version: VERSION,
      profiles: list('a list of profile ids', name('the id of a Profile', ''), [0, RULES_ON_INTENT_MAX], {
        description: 'These apply regardless of their match and when.',
        ifLonger: 'no more rules may apply to one intent',
      }),
      require: REQUIRE,
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
    },
    {
      description: 'Registers a workflowId and what it requires.',
      rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
    },
  ),
  Limit: LIMIT,
  Defaults: object(
    'a Defaults document',
    ['kind'],
    {
      kind: kind('Defaults'),
      writePolicy: WRITE_POLICY,
      observeUntil: OBSERVE_UNTIL,
      unmatched: either(
        '`pause` or an object such as `{ pause: { system: erp } }`',
        [
          word(['pause']),
          object('an `unmatched` with a scope', ['pause'], {
            pause: match('Only these pause; a member the intent omits counts as matching.'),
          }),
        ],
        'An intent that no enforced profile or workflow applies to pauses.',
      ),
      authzenContext: list(
        'a list of member names',
        name('the name of a member', ''),
        [0, AUTHZEN_CONTEXT_MAX],
        {
          description: "Members of an AuthZEN request's `context` that conditions may read; default: none.",
        },
      ),
    },
    {
      description: 'What applies if no profile and no workflow does; one per bundle.',
      rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
    },
  ),
  EvidenceSource: object(
    'an EvidenceSource',
    ['kind', 'id', 'keys'],
    {
      kind: kind('EvidenceSource'),
      id: name('an id', 'The source evidence items name.'),
      keys: object('a JWK Set', ['keys'], { keys: JWK_LIST }, { description: 'A JWK Set of public keys.' }),
    },
    { description: 'Who may sign attestations as this source.', rules: [NOT_THE_DESK] },
  ),
  PolicyTest: object(
    'a PolicyTest',
    ['kind', 'id', 'intent', 'now', 'expect'],
    {
      kind: kind('PolicyTest'),
      id: name('an id', 'Names the test in reports.'),
      intent: open('a write intent', 'A write intent or action request as a caller would send it.'),
      now: dateTime('The moment of the decision.'),
      drawn: table(
        'an object of amounts by limit id',
        name('the id of a Limit', ''),
        DRAWN_AMOUNT,
        "What is drawn of each limit in this intent's group; default: 0.",
      ),
      expect: object('an expectation', ['decision'], {
        decision: word(DECISIONS),
        reason_code: word(REASON_CODES),
        codes: table('an object of codes by control id', CONTROL_ID, word(Object.values(CONTROL_CODES))),
      }),
    },
    { description: 'An intent and the decision this bundle must reach for it.' },
  ),
};

export const DOCUMENT_KINDS = Object.keys(DOCUMENT_SHAPES) as readonly (keyof typeof DOCUMENT_SHAPES)[];

/** The shape for the kind that a document claims; null if no such kind exists. */
export function shapeOf(document: JsonObject): Shape | null {
  const claimed = Object.hasOwn(document, 'kind') ? document.kind : null;
  const kind = DOCUMENT_KINDS.find((known) => known === claimed);
  return kind === undefined ? null : DOCUMENT_SHAPES[kind];
}
