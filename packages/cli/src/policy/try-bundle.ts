/** Tries a bundle on the recorded traffic of a running service, with a progress bar. */
import type { ImpactLine, ImpactReport } from '@writecheck/api';
import type { ProblemDetail } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { describeDetail } from '@writecheck/service/features/policies/describe-detail';
import type { GoodBundle } from './bundle.ts';
import { ProgressBar } from './progress-bar.ts';
import { readService, type ServiceOptions } from './service.ts';

export interface Range {
  readonly from?: string;
  readonly system?: string;
  readonly includeDevelopment: boolean;
}

/** Interrupting the command closes the connection, which ends the run. */
export async function tryBundle(
  bundle: GoodBundle,
  range: Range,
  options: ServiceOptions,
): Promise<ImpactReport> {
  const json = { documents: bundle.documents, ...range };
  const bar = new ProgressBar(process.stderr);
  let rest = '';
  try {
    const sent = { json, describe: describerOf(bundle) };
    for await (const part of readService('POST', '/v1/policies/impact', options, sent)) {
      const lines = `${rest}${part}`.split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const { progress, report, error } = JSON.parse(line) as ImpactLine;
        if (error !== undefined) throw new CommandFailure(`${error.code}: ${error.message}`);
        if (report !== undefined) return report;
        bar.show(progress!.done, progress!.total);
      }
    }
  } finally {
    bar.end();
  }
  throw new CommandFailure('the connection ended before the report; try again');
}

/** Says the places of faults as the files have them, which only this side knows. */
export function describerOf({ documents, placeOf }: GoodBundle): (detail: ProblemDetail) => string {
  return (detail) => {
    const [, index, pointer] = /^\/documents\/(\d+)(.*)/s.exec(detail.pointer) ?? [];
    const document = documents[Number(index)];
    return describeDetail(document === undefined ? detail : { ...detail, ...placeOf(document, pointer!) });
  };
}
