/** What a bundle would have changed in the last 7 days, shown before it is applied. */
import { isCommandFailure } from '@writecheck/contract/command';
import type { GoodBundle } from './bundle.ts';
import { changedLines } from './impact-text.ts';
import type { ServiceOptions } from './service.ts';
import { tryBundle } from './try-bundle.ts';

/** Without a report, applying goes on: the report is a help, not a gate. */
const NO_REPORT = /^(run_in_progress|overloaded|store_unavailable|internal_error): /;

export async function showForecast(bundle: GoodBundle, options: ServiceOptions): Promise<void> {
  try {
    // Newcomers have decisions of development keys only.
    const report = await tryBundle(bundle, { includeDevelopment: true }, options);
    const { decisions } = report.coverage;
    const lines =
      decisions === 0
        ? ['no decisions in the last 7 days to try it on']
        : [
            `tried on ${report.coverage.replayed} of ${decisions} decisions of the last 7 days`,
            ...changedLines(report),
          ];
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    if (!isCommandFailure(error) || !NO_REPORT.test(error.message)) throw error;
    process.stdout.write(
      `it cannot be tried on recorded decisions now (${error.message}); applying without that\n`,
    );
  }
}
