/** The shape of a Limit: how much, how often, and what happens beyond it. */
import { amountOfNumber, limitWindow } from '@writecheck/contract';
import { amount, either, list, object, text, word } from './build-shape.ts';
import { quoted } from './faults.ts';
import { kind, match, OBSERVE_UNTIL, OBSERVE_UNTIL_NEEDS_OBSERVE, VERSION, WHEN } from './profile-shapes.ts';
import { CONTROL_ID, name } from './text-shapes.ts';

const BY_MAX = 4;
const REQUIRED_BEYOND_MAX = 64;
const PATH_LENGTH_MAX = 1_024;

function pathText(what: string, description: string) {
  return text({ what, pattern: /^[^\p{Cs}]+$/u, maxLength: PATH_LENGTH_MAX, description });
}

const BY = list(
  'a list of paths',
  pathText('a path such as `intent.system`, or `key`', 'A path of `intent` or `facts`, or `key`.'),
  [1, BY_MAX],
  { description: 'What is counted apart; default: the whole workspace.' },
);

const PER = text({
  what: '`hour`, `day`, `week`, `month`, or a duration from 1m to 31d',
  pattern: /^[0-9a-z.]+$/u,
  maxLength: 16,
  description: 'A calendar window of UTC, or a duration for a rolling one.',
  refuse: (per) =>
    limitWindow(per) === null
      ? `must be \`hour\`, \`day\`, \`week\`, \`month\`, or a duration from 1m to 31d, found ${quoted(per)}`
      : null,
});

const BEYOND = either(
  '`pause`, `block` or an object with `require`',
  [
    word(['pause', 'block']),
    object('a `beyond`', ['require'], {
      require: list('a list of control ids', CONTROL_ID, [1, REQUIRED_BEYOND_MAX], {
        description: 'Controls that let one write through; each must serve only once.',
      }),
    }),
  ],
  'What happens to a write that takes more than is left; default: pause.',
);

const MAX = amount(
  (value) =>
    amountOfNumber(value) === null
      ? `must be a number of at least 0 with at most 15 digits, 6 of them after the point, found \`${value}\``
      : null,
  'What may be drawn in a window.',
);

export const LIMIT = object(
  'a Limit',
  ['kind', 'id', 'max', 'per'],
  {
    kind: kind('Limit'),
    id: name('an id', 'Names the limit in decisions and provenance.'),
    version: VERSION,
    match: match('Which writes the limit counts; default: all.'),
    when: WHEN,
    by: BY,
    sum: pathText(
      'a path such as `intent.metadata.context.amount`',
      'The number that a write draws; default: each write draws 1.',
    ),
    max: MAX,
    per: PER,
    beyond: BEYOND,
    writePolicy: word(['observe', 'enforce'], 'observe counts and stops nothing; enforce is the default.'),
    observeUntil: OBSERVE_UNTIL,
  },
  {
    description: 'Says how much, or how often, may be written in a window.',
    rules: [OBSERVE_UNTIL_NEEDS_OBSERVE],
  },
);
