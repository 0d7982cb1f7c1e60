/** What is found about a text while somebody types it: of the newest text, once they pause for a moment. */
import type { PolicyDocument } from '@writecheck/engine';
import { useEffect, useState } from 'preact/hooks';
import type { Examined } from './examine-policies.ts';
import { examine } from './policy-desk.ts';

const PAUSE_MS = 200;
const TOO_LONG = { line: 1, column: 1, message: 'this takes too long to be looked at here' };

export interface UseExamined {
  /** Of the text or of one before it; null before the first. */
  readonly examined: Examined | null;
  /** Whether it is of the text as it is now. */
  readonly isCurrent: boolean;
}

export function useExamined(
  text: string | null,
  running: readonly PolicyDocument[],
  workspace: string,
): UseExamined {
  const [state, setState] = useState<{
    readonly text: string;
    readonly running: unknown;
    readonly examined: Examined;
  } | null>(null);
  useEffect(() => {
    if (text === null) return;
    let isLeft = false;
    const timer = setTimeout(async () => {
      const examined = await examine({ text, running, workspace, nowMs: Date.now() });
      if (!isLeft) setState({ text, running, examined: examined ?? { kind: 'invalid', faults: [TOO_LONG] } });
    }, PAUSE_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [text, running, workspace]);
  return {
    examined: state?.examined ?? null,
    isCurrent: state !== null && state.text === text && state.running === running,
  };
}
