/** The shape of a Limit: how much, how often, and what happens beyond it. */
import { amountOfNumber, limitWindow } from '@writecheck/contract';
import { quoted } from './faults.ts';
import { OBSERVE_UNTIL, OBSERVE_UNTIL_NEEDS_OBSERVE } from './profile-shapes.ts';
import type { EitherShape, ListShape, ObjectShape, Shape, TextShape } from './shape.ts';
import { CONTROL_ID, name } from './text-shapes.ts';

const BY_MAX = 4;
const REQUIRED_BEYOND_MAX = 64;
const PATH_LENGTH_MAX = 1_024;

function pathText(what: string, description: string): TextShape {
  return { kind: 'text', what, pattern: /^[^\p{Cs}]+$/u, maxLength: PATH_LENGTH_MAX, description };
}

const BY: ListShape = {
  kind: 'list',
  what: 'a list of paths',
  description: 'What is counted apart; default: the whole workspace.',
  of: pathText('a path such as `intent.system`, or `key`', 'A path of `intent` or `facts`, or `key`.'),
  min: 1,
  max: BY_MAX,
};

const PER: TextShape = {
  kind: 'text',
  what: '`hour`, `day`, `week`, `month`, or a duration from 1m to 31d',
  pattern: /^[0-9a-z.]+$/u,
  maxLength: 16,
  description: 'A calendar window of UTC, or a duration for a rolling one.',
  refuse: (text) =>
    limitWindow(text) === null
      ? `must be \`hour\`, \`day\`, \`week\`, \`month\`, or a duration from 1m to 31d, found ${quoted(text)}`
      : null,
};

const BEYOND: EitherShape = {
  kind: 'either',
  what: '`pause`, `block` or an object with `require`',
  description: 'What happens to a write that takes more than is left; default: pause.',
  options: [
    { kind: 'word', words: ['pause', 'block'] },
    {
      kind: 'object',
      what: 'a `beyond`',
      required: ['require'],
      members: {
        require: {
          kind: 'list',
          what: 'a list of control ids',
          description: 'Controls that let one write through; each must serve only once.',
          of: CONTROL_ID,
          min: 1,
          max: REQUIRED_BEYOND_MAX,
        },
      },
    },
  ],
};

/** `shared` are the members that a limit has as a profile has them. */
export function limitShape(
  shared: { readonly [member in 'kind' | 'version' | 'match' | 'when']: Shape },
): ObjectShape {
  return {
    kind: 'object',
    what: 'a Limit',
    description: 'Says how much, or how often, may be written in a window.',
    required: ['kind', 'id', 'max', 'per'],
    members: {
      kind: shared.kind,
      id: name('an id', 'Names the limit in decisions and provenance.'),
      version: shared.version,
      match: shared.match,
      when: shared.when,
      by: BY,
      sum: pathText(
        'a path such as `intent.metadata.context.amount`',
        'The number that a write draws; default: each write draws 1.',
      ),
      max: {
        kind: 'amount',
        refuse: (value) =>
          amountOfNumber(value) === null
            ? `must be a number of at least 0 with at most 15 digits, 6 of them after the point, found \`${value}\``
            : null,
        description: 'What may be drawn in a window.',
      },
      per: PER,
      beyond: BEYOND,
      writePolicy: {
        kind: 'word',
        words: ['observe', 'enforce'],
        description: 'observe counts and stops nothing; enforce is the default.',
      },
      observeUntil: OBSERVE_UNTIL,
    },
    rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
  };
}
