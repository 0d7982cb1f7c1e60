/** The call behind "Try it on the last 7 days". */
import type { ImpactLine, ImpactReport } from '@writecheck/api';
import { call, failureHere, type Reply, success } from '../api.ts';

export type Progress = NonNullable<ImpactLine['progress']>;

/** A busy workspace takes long; the service ends a run whose caller leaves. */
const RUN_MS = 3_600_000;

export async function tryBundle(
  documents: readonly unknown[],
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Reply<ImpactReport>> {
  let rest = '';
  let last: ImpactLine = {};
  const onText = (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop()!;
    for (const line of lines) last = JSON.parse(line);
    if (last.progress !== undefined) onProgress(last.progress);
  };
  const options = { json: { documents }, onText, signal, timeoutMs: RUN_MS };
  const reply = await call('POST /v1/policies/impact', options);
  if (reply.kind === 'failure') return reply;
  if (last.report !== undefined) return success(last.report);
  return failureHere('unreachable', last.error?.message ?? 'the connection ended before the report');
}
