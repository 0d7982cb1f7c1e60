/** The write itself: its values, and every other member that the digest covers. */
import type { WriteIntent } from '@writecheck/contract';
import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.tsx';
import { ValueDifference } from '../../components/decision/value-difference.tsx';
import { Section } from '../../components/page.tsx';
import { coveredWrite } from '../../components/review/covered.ts';
import { Members } from '../../components/review/covered-write.tsx';

const ROWS_SHOWN = 20;

export function WriteCard({ intent, digest }: { readonly intent: WriteIntent; readonly digest: string }) {
  const write = useMemo(() => coveredWrite(intent as unknown as { [member: string]: unknown }), [intent]);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [areAllShown, setAreAllShown] = useState(false);
  const { agentValue, authorityValue, authoritySource } = intent;
  const rows = [...write.rows, ...write.metadata];
  const shown = areAllShown ? rows : rows.slice(0, ROWS_SHOWN);
  return (
    <Section kind="card write-card" title="The write">
      {(agentValue !== undefined || authorityValue !== undefined) && (
        <ValueDifference
          agentValue={agentValue}
          authorityValue={authorityValue}
          authoritySource={authoritySource}
        />
      )}
      <Members
        rows={shown}
        opened={opened}
        open={(fold) => setOpened((before) => new Set([...before, fold]))}
      />
      {shown.length < rows.length && (
        <p>
          <button type="button" class="small" onClick={() => setAreAllShown(true)}>
            Show {rows.length - shown.length} more
          </button>
        </p>
      )}
      <details class="small-text" open={write.digest !== digest}>
        <summary>
          Digest of these lines, computed by this page: it{' '}
          {write.digest === digest ? 'matches the decision' : 'differs from the one in the decision'}
        </summary>
        <p>
          <code>{write.digest}</code> <CopyButton text={write.digest} what="the digest" />
        </p>
      </details>
    </Section>
  );
}
