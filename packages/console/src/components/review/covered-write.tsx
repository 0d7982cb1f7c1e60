/** Everything that an approval covers: the values, every other member, and the digest of all of it. */
import { areLookAlikes, skeletonOf } from '@writecheck/contract';
import { useMemo } from 'preact/hooks';
import { href } from '../../state/route.ts';
import { compareCharacters, type Stretch } from '../compare-characters.ts';
import { CopyButton } from '../copy-button.tsx';
import { cut } from '../cut.ts';
import { OddList } from '../decision/value-difference.tsx';
import { pathOf } from '../member-labels.ts';
import { Moment } from '../moment.tsx';
import { Section } from '../page.tsx';
import { RevealedText } from '../text.tsx';
import { aimedPart } from './aimed-text.ts';
import {
  type CoveredRow,
  type CoveredWrite,
  isLong,
  METADATA_FOLD,
  METADATA_ROWS_MAX,
  TEXT_CHARACTERS_MAX,
} from './covered.ts';
import type { LastAllowed } from './warnings.ts';

interface Folding {
  readonly opened: ReadonlySet<string>;
  readonly open: (fold: string) => void;
}

interface CoveredWriteProps extends Folding {
  readonly write: CoveredWrite;
  readonly isSame: boolean;
  /** What the log says this member was last set to; null if nothing. */
  readonly last?: LastAllowed | null;
  /** The name of the key, if the page shows it: an agent that says the same of itself is not shown twice. */
  readonly agent?: string | null;
}

export function CoveredWriteCard({
  isYours,
  ...write
}: CoveredWriteProps & {
  /** Whether the user decides it. */
  readonly isYours: boolean;
}) {
  return (
    <Section title={isYours ? 'What you approve' : 'The write under review'}>
      <WholeWrite {...write} />
    </Section>
  );
}

const AGENT = JSON.stringify(['metadata', 'agent']);

export function WholeWrite({ write, isSame, last = null, agent = null, ...folding }: CoveredWriteProps) {
  const { metadata, absent, digest } = write;
  const rows = write.rows.filter(({ id, text }) => id !== AGENT || text !== agent);
  const areAllShown = metadata.length <= METADATA_ROWS_MAX || folding.opened.has(METADATA_FOLD);
  const shown = areAllShown ? metadata : metadata.slice(0, METADATA_ROWS_MAX);
  return (
    <>
      <BeforeAfter write={write} last={last} {...folding} />
      <Members rows={[...rows, ...shown]} {...folding} />
      {!areAllShown && (
        <p>
          <button type="button" class="small fold" onClick={() => folding.open(METADATA_FOLD)}>
            Show {metadata.length - METADATA_ROWS_MAX} more metadata members
          </button>
        </p>
      )}
      {isSame ? (
        <details class="small-text">
          <summary>Digest of these values, computed by this page: it matches the review</summary>
          <p>
            <code>{digest}</code> <CopyButton text={digest} what="the digest" />
          </p>
          {absent.length > 0 && (
            <p class="quiet">
              Not sent: {absent.map((member, at) => [at > 0 && ', ', <code key={member}>{member}</code>])}
            </p>
          )}
        </details>
      ) : (
        <div class="note note-bad" role="alert">
          <p>
            <strong>This write is not the one under review.</strong> The digest of the values above differs
            from the review’s. Don’t approve it. Reload, and tell your operator if this message stays.
          </p>
          <p class="small-text">
            Digest of these values: <code>{digest}</code>
          </p>
        </div>
      )}
    </>
  );
}

/** Longer ones, and those that the caller named, have a line of their own. */
const SHORT_MAX = 32;

export function Members({ rows, ...folding }: Folding & { readonly rows: readonly CoveredRow[] }) {
  return (
    <dl class="members">
      {rows.map((row) => (
        <div key={row.id} class={row.text.length > SHORT_MAX || row.label === null ? 'whole' : ''}>
          <dt title={pathOf(row.names)}>{row.label === null ? <Names names={row.names} /> : row.label}</dt>
          <dd>
            <Value row={row} {...folding} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function BeforeAfter({
  write,
  last,
  ...folding
}: Folding & { readonly write: CoveredWrite; readonly last: LastAllowed | null }) {
  const { before, after } = write;
  if (before === null && after === null) return null;
  const areBoth = before !== null && after !== null;
  const differ = areBoth && before.text !== after.text;
  const areTwins = differ && skeletonOf(before.text) === skeletonOf(after.text);
  const difference = differ ? compareCharacters(before.text, after.text) : null;
  // Of two unrelated values no character matters more than another.
  const isTwinOfLast = last !== null && areLookAlikes(after?.text, last.value) && !isLong(last.value);
  const sinceLast = isTwinOfLast ? compareCharacters(last.value, after?.text ?? '').left : null;
  const source = write.rows.find(({ names: [first] }) => first === 'authoritySource')?.text;
  const sides = [
    {
      who: 'before',
      // Its value came with the request; nothing proves it.
      label: <RevealedText text={`${source ?? 'The source of record'} has, says the agent`} />,
      // The summary says that it is the same. A long one is folded, and what is folded must be there to be opened.
      row: areBoth && !differ && !isLong(before.text) ? null : before,
      stretches: difference?.left,
    },
    { who: 'after', label: 'The agent writes', row: after, stretches: difference?.right },
  ];
  return (
    <>
      <p>
        <RevealedText text={summaryOf(source ?? 'the source of record', areBoth, differ, areTwins)} />
      </p>
      <dl class="stack values before-after">
        {sides.map(
          ({ who, label, row, stretches }) =>
            row !== null && (
              <div key={who}>
                <dt>{label}</dt>
                <dd>
                  <Value row={row} isWary={areTwins} stretches={stretches} {...folding} />
                </dd>
              </div>
            ),
        )}
        {last !== null && (
          <div>
            <dt>
              Last allowed <Moment at={last.at} />
            </dt>
            <dd>
              <p class="value">
                <a href={href(`/decisions/${last.decisionId}`)}>
                  <RevealedText
                    text={cut(last.value, TEXT_CHARACTERS_MAX)}
                    isWary
                    {...(sinceLast === null ? {} : { stretches: sinceLast })}
                  />
                </a>
              </p>
              {after !== null && (
                <p class="quiet small-text">
                  {after.text === last.value ? 'The same value.' : 'Differs from the new value.'}
                </p>
              )}
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

function summaryOf(source: string, areBoth: boolean, differ: boolean, areTwins: boolean): string {
  if (!areBoth) return 'No source of record was sent to compare with.';
  if (!differ) return `The agent says that ${source} has the same value. Not signed.`;
  return areTwins
    ? 'These look identical but are different. Differences are highlighted.'
    : 'The new value differs from the source of record. Differences are highlighted.';
}

/** In full, or folded behind a button that only opens. */
export function Value({
  row,
  isWary = false,
  stretches,
  opened,
  open,
}: Folding & {
  readonly row: CoveredRow;
  readonly isWary?: boolean;
  readonly stretches?: readonly Stretch[] | undefined;
}) {
  const { id, text } = row;
  // A page under review is drawn every other second, and its texts may be long.
  const marked = useMemo(() => stretches ?? aimedStretches(text), [text, stretches]);
  if (text === '') return <span class="quiet">empty</span>;
  if (isLong(text) && !opened.has(id)) {
    const points = [...text];
    return (
      <>
        <p class="value">
          <RevealedText text={points.slice(0, TEXT_CHARACTERS_MAX / 2).join('')} isWary={isWary} />…
        </p>
        <p>
          <button type="button" class="small fold" onClick={() => open(id)}>
            Show all {points.length.toLocaleString('en')} characters
          </button>
        </p>
      </>
    );
  }
  return (
    <>
      <p class="value">
        <RevealedText text={text} isWary={isWary} {...(marked ? { stretches: marked } : {})} />
      </p>
      <OddList text={text} isWary={isWary} />
    </>
  );
}

/** What tells the reviewer what to do is marked where it stands. */
export function aimedStretches(text: string): readonly Stretch[] | undefined {
  const part = aimedPart(text);
  if (part === null) return undefined;
  const { from, to } = part;
  const all: readonly Stretch[] = [
    { kind: 'same', text: text.slice(0, from) },
    { kind: 'different', text: text.slice(from, to) },
    { kind: 'same', text: text.slice(to) },
  ];
  return all.filter((stretch) => stretch.text !== '');
}

/** Each name stands alone, so that none can pass for two. */
function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.map((name, at) => (
        <span key={`${at} ${name}`}>
          {at > 0 && <span class="quiet"> › </span>}
          <code>
            <RevealedText text={name} />
          </code>
        </span>
      ))}
    </>
  );
}
