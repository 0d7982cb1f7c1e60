/** `writecheck policy impact`: tries a bundle on recorded traffic, and gates a pull request by what it would change. */

import { setTimeout as pause } from 'node:timers/promises';
import type { ImpactReport, ImpactRun } from '@writecheck/api';
import { DAY_MS, given } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import type { PolicyDocument } from '@writecheck/engine';
import { loadBundle } from './bundle.ts';
import { impactText } from './impact-text.ts';
import { ProgressBar } from './progress-bar.ts';
import { isFailed, testOutcomes } from './run-tests.ts';
import { askService, type ServiceOptions, THRESHOLD_EXIT_CODE } from './service.ts';
import { exceeds, parseThreshold, type Threshold } from './threshold.ts';

export interface ImpactOptions extends ServiceOptions {
  readonly days: string;
  readonly baseline: string;
  readonly system?: string;
  readonly includeDevelopment: boolean;
  readonly despiteTests: boolean;
  readonly json: boolean;
  readonly maxNewlyStopped?: string;
  readonly maxNewlyAllowed?: string;
  readonly maxNotReplayed?: string;
}

interface Answer {
  readonly run: ImpactRun;
  readonly report: ImpactReport;
}

const SERVICE_DEFAULT_DAYS = 30;
const LOOK_EVERY_MS = 250;

export async function policyImpact(path: string, options: ImpactOptions): Promise<void> {
  const days = Number(options.days);
  if (!(days > 0) || days > 36_500) throw new CommandFailure('--days must be a number of days, such as `30`');
  const limits = limitsOf(options);
  const documents = await testedBundle(path, options);
  const { body } = await askService('POST', '/v1/policies/impact', options, {
    documents,
    ...(await startOf(days, options)),
    baseline: options.baseline,
    includeDevelopment: options.includeDevelopment,
    ...given({ system: options.system }),
  });
  const answer = await followed((body as { readonly run: ImpactRun }).run, options);
  const exceeded = limits.map((limit) => ({ ...limit, why: whyExceeded(limit, answer.report) }));
  process.stdout.write(
    options.json ? `${JSON.stringify(answer, null, 2)}\n` : impactText(answer.run, answer.report),
  );
  if (await isDevelopmentOnly(answer, options))
    (options.json ? process.stderr : process.stdout).write(DEVELOPMENT_ONLY);
  const violations = exceeded.flatMap(({ why }) => (why === null ? [] : [why]));
  if (violations.length > 0) throw new CommandFailure(violations.join('\n'), THRESHOLD_EXIT_CODE);
}

/** The service refuses documents whose tests fail, so tests are omitted if the caller says so. */
async function testedBundle(
  path: string,
  { despiteTests }: ImpactOptions,
): Promise<readonly PolicyDocument[]> {
  const bundle = await loadBundle(path);
  const failures = (await testOutcomes(bundle)).filter(isFailed);
  if (failures.length === 0) return bundle.documents;
  const listed = failures.map(({ test, faults }) => `${test.id}: ${faults[0]!}`);
  if (!despiteTests) {
    const title = `tests of \`${path}\` fail; fix them, or get a report anyway with --despite-tests:`;
    throw new CommandFailure(listFaults(title, listed));
  }
  const title = `tests of \`${path}\` fail, so the report is about the bundle without its tests:`;
  process.stderr.write(`${listFaults(title, listed)}\n`);
  return bundle.documents.filter(({ kind }) => kind !== 'PolicyTest');
}

const DEVELOPMENT_ONLY =
  'every decision in the range was made with a development key, and those are left out; add --include-development to replay them\n';

/** A run without live decisions in a range that has decisions: newcomers have only a development key. */
async function isDevelopmentOnly({ run, report }: Answer, options: ServiceOptions): Promise<boolean> {
  if (report.coverage.decisions > 0 || run.includeDevelopment) return false;
  const query = new URLSearchParams({ from: run.from, to: run.to, limit: '1' });
  if (run.system !== null) query.set('system', run.system);
  // The report exists, so the command must not fail because a hint is missing.
  const found = await askService('GET', `/v1/decisions?${query}`, options).catch(() => null);
  return found !== null && (found.body as { readonly decisions: readonly unknown[] }).decisions.length > 0;
}

/** Uses the clock of the service, which dated the decisions; this machine's may differ. */
export async function startOf(days: number, options: ServiceOptions): Promise<{ readonly from?: string }> {
  if (days === SERVICE_DEFAULT_DAYS) return {};
  const { dateMs } = await askService('GET', '/v1/policies/impact', options);
  return { from: new Date(dateMs - days * DAY_MS).toISOString() };
}

interface Limit {
  readonly name: string;
  readonly threshold: Threshold | null;
  readonly count: (report: ImpactReport) => number;
  readonly of: (report: ImpactReport) => number;
}

function limitsOf({ maxNewlyStopped, maxNewlyAllowed, maxNotReplayed }: ImpactOptions): readonly Limit[] {
  const replayed = ({ coverage }: ImpactReport): number => coverage.replayed;
  return [
    {
      name: 'newly stopped',
      threshold: parseThreshold('--max-newly-stopped', maxNewlyStopped),
      count: ({ newlyStopped }) => newlyStopped.decisions,
      of: replayed,
    },
    {
      name: 'newly allowed',
      threshold: parseThreshold('--max-newly-allowed', maxNewlyAllowed),
      count: ({ newlyAllowed }) => newlyAllowed.decisions,
      of: replayed,
    },
    {
      name: 'not replayed',
      threshold: parseThreshold('--max-not-replayed', maxNotReplayed),
      count: ({ coverage }) => coverage.decisions - coverage.replayed,
      of: ({ coverage }) => coverage.decisions,
    },
  ];
}

function whyExceeded({ name, threshold, count, of }: Limit, report: ImpactReport): string | null {
  const found = count(report);
  if (threshold === null || !exceeds(found, of(report), threshold)) return null;
  return `${name}: ${found} of ${of(report)} decisions, more than ${threshold.text}`;
}

/** Waits for the end of a run; an interrupt cancels it. */
async function followed({ id }: ImpactRun, options: ServiceOptions): Promise<Answer> {
  const path = `/v1/policies/impact/${id}`;
  const bar = new ProgressBar(process.stderr);
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    for (;;) {
      if (isInterrupted) {
        await askService('DELETE', path, options);
        bar.end();
        throw new CommandFailure('interrupted; the run is cancelled');
      }
      const answer = (await askService('GET', path, options)).body as Answer;
      const { state, progress, because } = answer.run;
      bar.show(progress.done, progress.total, state === 'done');
      if (state === 'done') return answer;
      if (state !== 'running')
        throw new CommandFailure(`the run is ${state}${because === null ? '' : `: ${because}`}`);
      await pause(LOOK_EVERY_MS);
    }
  } finally {
    bar.end();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
