/** `writecheck policy impact`: tries a bundle on recorded traffic, and gates a pull request by what it would change. */
import { DAY_MS, given } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { loadBundle } from './bundle.ts';
import { impactText } from './impact-text.ts';
import { type ServiceOptions, THRESHOLD_EXIT_CODE } from './service.ts';
import { exceeds, parseThreshold } from './threshold.ts';
import { tryBundle } from './try-bundle.ts';

interface ImpactOptions extends ServiceOptions {
  readonly days: string;
  readonly system?: string;
  readonly includeDevelopment: boolean;
  readonly json: boolean;
  readonly maxNewlyStopped?: string;
  readonly maxNewlyAllowed?: string;
}

export async function policyImpact(path: string, options: ImpactOptions): Promise<void> {
  const days = Number(options.days);
  if (!(days > 0) || days > 36_500) throw new CommandFailure('--days must be a number of days, such as `30`');
  const thresholds = [
    { name: 'newlyStopped', max: parseThreshold('--max-newly-stopped', options.maxNewlyStopped) },
    { name: 'newlyAllowed', max: parseThreshold('--max-newly-allowed', options.maxNewlyAllowed) },
  ] as const;
  const from = new Date(Date.now() - days * DAY_MS).toISOString();
  const { includeDevelopment } = options;
  const range = { from, includeDevelopment, ...given({ system: options.system }) };
  const report = await tryBundle(await loadBundle(path), range, options);
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : impactText(report));
  if (report.coverage.decisions === 0 && !includeDevelopment)
    process.stderr.write('decisions of development keys are left out; add --include-development for them\n');
  const exceeded = thresholds.flatMap(({ name, max }) => {
    const { decisions } = report[name];
    const of = report.coverage.replayed;
    if (max === null || !exceeds(decisions, of, max)) return [];
    const words = name === 'newlyStopped' ? 'newly stopped' : 'newly allowed';
    return [`${words}: ${decisions} of ${of} decisions, more than ${max.text}`];
  });
  if (exceeded.length > 0) throw new CommandFailure(exceeded.join('\n'), THRESHOLD_EXIT_CODE);
}
