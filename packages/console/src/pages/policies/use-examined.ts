/** Checks the newest text once the user stops typing for a moment. */
import type { PolicyDocument } from '@writecheck/engine';
import { useEffect, useState } from 'preact/hooks';
import type { Examined } from '../../components/policy/examine-policies.ts';
import { examine } from '../../components/policy/policy-desk.ts';

const PAUSE_MS = 200;
const TOO_LONG = {
  line: 1,
  column: 1,
  message: 'checking this bundle timed out here; simplify it or split it',
};

const UNKNOWN: Examined = { kind: 'invalid', faults: [TOO_LONG], changedLines: [] };

export function useExamined(text: string, running: readonly PolicyDocument[], workspace: string) {
  const [state, setState] = useState<{
    readonly text: string;
    readonly running: unknown;
    readonly examined: Examined;
  } | null>(null);
  useEffect(() => {
    let isLeft = false;
    const timer = setTimeout(async () => {
      const examined = await examine({ text, running, workspace, nowMs: Date.now() });
      if (!isLeft) setState({ text, running, examined: examined ?? UNKNOWN });
    }, PAUSE_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [text, running, workspace]);
  return {
    /** The result for the current or an earlier text; null before the first. */
    examined: state?.examined ?? null,
    /** Whether it belongs to the current text. */
    isCurrent: state !== null && state.text === text && state.running === running,
  };
}
