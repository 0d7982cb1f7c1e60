/** Compares the agent's value with the authority's, and marks differences that are easy to miss. */
import { areLookAlikes, type OddCharacter } from '@writecheck/contract';
import { compareCharacters } from '../compare-characters.ts';
import { markedCharacters } from '../deceptive-text.ts';
import { CallerText, RevealedText } from '../text.tsx';

export function ValueDifference({
  agentValue,
  authorityValue,
  authoritySource,
}: {
  readonly agentValue: string | undefined;
  readonly authorityValue: string | undefined;
  readonly authoritySource: string | undefined;
}) {
  const areBoth = agentValue !== undefined && authorityValue !== undefined;
  const differ = areBoth && agentValue !== authorityValue;
  const areTwins = areLookAlikes(agentValue, authorityValue);
  const difference = differ ? compareCharacters(agentValue, authorityValue) : null;
  const values = [
    {
      who: 'authority',
      // Its value came with the request; nothing proves it.
      label: (
        <>
          {authoritySource === undefined ? 'The source of record' : <CallerText text={authoritySource} />}{' '}
          has, says the agent
        </>
      ),
      text: authorityValue,
      stretches: difference?.right,
    },
    { who: 'agent', label: 'The agent writes', text: agentValue, stretches: difference?.left },
  ];
  return (
    <>
      <p>{summary(agentValue, authorityValue, areTwins)}</p>
      <dl class="stack values">
        {values.map(({ who, label, text, stretches }) => (
          <div key={who}>
            <dt>{label}</dt>
            <dd>
              {text === undefined ? (
                <span class="quiet">not sent</span>
              ) : (
                <>
                  <p class="value">
                    {text === '' && <span class="quiet">empty</span>}
                    <RevealedText text={text} isWary={areTwins} {...(stretches ? { stretches } : {})} />
                  </p>
                  <OddList text={text} isWary={areTwins} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function summary(agent: string | undefined, authority: string | undefined, areTwins: boolean): string {
  if (agent === undefined || authority === undefined) return 'No source of record was sent to compare with.';
  if (agent === authority) return 'Identical, character for character.';
  if (areTwins) return 'These look identical but are different. Differences are highlighted.';
  return 'Different. Differences are highlighted.';
}

const LISTED_MAX = 12;

/** Lists the marked characters in words, with their positions. */
export function OddList({ text, isWary }: { readonly text: string; readonly isWary: boolean }) {
  const found = markedCharacters(text, isWary)
    .map((odd, at) => ({ odd, at }))
    .filter((each): each is { odd: OddCharacter; at: number } => each.odd !== null);
  if (found.length === 0) return null;
  return (
    <ul class="odd-list small-text quiet">
      {found.slice(0, LISTED_MAX).map(({ odd, at }) => (
        <li key={at}>
          character {at + 1} is <code>{odd.code}</code>, {odd.name}
        </li>
      ))}
      {found.length > LISTED_MAX && <li>and {found.length - LISTED_MAX} more</li>}
    </ul>
  );
}
