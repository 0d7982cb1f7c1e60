/** Checks this month against the limit, by key and by day. */

import type { Answered } from '@writecheck/api/calls';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { listKeys } from '../calls/keys.ts';
import { DataTable } from '../components/data-table.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Fact } from '../components/fact.tsx';
import { Choice } from '../components/field.tsx';
import { hintOf } from '../components/key-table.tsx';
import { Meter } from '../components/meter.tsx';
import { dayOf } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { CallerText } from '../components/text.tsx';
import { together, useLoad } from '../use-load.ts';

type Month = Answered<'GET /v1/usage'>;

type Daily = Answered<'GET /v1/usage/daily'>;

const MONTHS_BACK = 6;
function count(value: number) {
  return value.toLocaleString('en');
}

export default function Usage() {
  const [period, setPeriod] = useState(new Date().toISOString().slice(0, 7));
  const month = useLoad('usage', (signal) => call('GET /v1/usage', { signal }));
  const daily = useLoad(`daily ${period}`, (signal) =>
    call('GET /v1/usage/daily', { query: { period }, signal }),
  );
  const keys = useLoad('keys', listKeys);
  const all = together(month, daily, keys);
  const days = daily.value?.days ?? [];
  const total = days.reduce((sum, { checks }) => sum + checks, 0);
  return (
    <div class="page">
      <h1>Usage</h1>
      <ErrorNote failure={all.failure} onRetry={all.reload} readAt={all.readAt} />
      {month.value !== null && <Allowance month={month.value} />}
      <section class="card" aria-labelledby="by-day">
        <div class="row title-row">
          <h2 id="by-day">Checks by day</h2>
          <Choice
            kind="month"
            label="Month"
            isLabelHidden
            value={period}
            options={monthsBack().map((each) => [each, monthName(each)] as const)}
            onChange={setPeriod}
          />
        </div>
        {daily.value !== null && <Days days={days} period={period} total={total} />}
      </section>
      <Section title="Checks by key">
        {daily.value !== null &&
          (total === 0 ? (
            <p class="quiet">No checks in {monthName(period)}.</p>
          ) : (
            <DataTable
              kind=""
              caption={`Checks by key in ${monthName(period)}`}
              rows={byKey(days)}
              idOf={([keyId]) => keyId}
              columns={[
                {
                  head: 'Key',
                  isName: true,
                  cell: ([keyId]) => {
                    const key = keys.value?.keys.find(({ id }) => id === keyId);
                    return (
                      <>
                        <CallerText text={key?.name ?? keyId} />
                        {key !== undefined && (
                          <span class="key-line small-text quiet">
                            {key.kind} <code>{hintOf(key)}</code>
                          </span>
                        )}
                      </>
                    );
                  },
                },
                { head: 'Checks', kind: 'number', cell: ([, checks]) => count(checks) },
                {
                  name: 'share',
                  head: <span class="hidden">Share</span>,
                  kind: 'wide-only share',
                  cell: ([, checks]) => <Bar part={checks / total} />,
                },
              ]}
            />
          ))}
      </Section>
    </div>
  );
}

function Allowance({ month }: { readonly month: Month }) {
  const { used, limit, remaining, resetsAt, live } = month;
  const isLow = remaining < limit / 10;
  return (
    <Section title="This month">
      <dl class="facts">
        <Fact name="Development checks" kind="figure">
          {count(used)} <span class="quiet">of {count(limit)}</span>
        </Fact>
        <Fact name="Left" kind={`figure ${isLow ? 'low' : ''}`}>
          {count(remaining)}
        </Fact>
        <Fact name="Live checks" kind="figure">
          {count(live.used)}{' '}
          <span class="quiet">{live.limit === null ? 'no limit' : `of ${count(live.limit)}`}</span>
        </Fact>
        <Fact name="Resets on" kind="figure">
          {dayOf(new Date(resetsAt))}
        </Fact>
      </dl>
      <Bar part={Math.min(1, used / limit)} isLow={isLow} />
      {remaining === 0 && (
        <p class="note note-warn">
          Development keys can’t send checks until next month. Live keys still can.
        </p>
      )}
    </Section>
  );
}

function Bar({ part, isLow = false }: { readonly part: number; readonly isLow?: boolean }) {
  return <Meter parts={[[isLow ? 'pause' : '', part === 0 ? 0 : Math.max(0.6, 100 * part)]]} />;
}

function Days({
  days,
  period,
  total,
}: {
  readonly days: Daily['days'];
  readonly period: string;
  readonly total: number;
}) {
  const [year, number] = period.split('-').map(Number);
  const length = new Date(Date.UTC(year!, number!, 0)).getUTCDate();
  const checks = Array.from({ length }, (_, at) => {
    const day = `${period}-${String(at + 1).padStart(2, '0')}`;
    return days.filter((each) => each.day === day).reduce((sum, each) => sum + each.checks, 0);
  });
  const most = Math.max(1, ...checks);
  return (
    <div class="days">
      <svg
        viewBox={`0 0 ${length} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${count(total)} checks in ${monthName(period)}, at most ${count(Math.max(...checks))} a day`}
      >
        {checks.map((value, at) => (
          // Days never change order, so the index is a safe key.
          <g key={`${period} ${at}`}>
            <title>{`${at + 1} ${monthName(period)}: ${count(value)}`}</title>
            <rect class="hit" x={at} width="1" height="100" />
            {value > 0 && (
              <rect
                class="fill"
                x={at + 0.14}
                width="0.72"
                y={100 - Math.max(2, (98 * value) / most)}
                height={Math.max(2, (98 * value) / most)}
              />
            )}
          </g>
        ))}
        <line class="axis" x1="0" x2={length} y1="100" y2="100" />
      </svg>
      <div class="ticks small-text quiet" aria-hidden="true">
        <span>1</span>
        <span>{Math.ceil(length / 2)}</span>
        <span>{length}</span>
      </div>
      <details>
        <summary>As a table</summary>
        <DataTable
          kind=""
          caption={`Checks by day in ${monthName(period)}`}
          rows={checks.map((value, at) => [at + 1, value] as const).filter(([, value]) => value > 0)}
          idOf={([day]) => `${period} ${day}`}
          columns={[
            { head: 'Day (UTC)', isName: true, cell: ([day]) => day },
            { head: 'Checks', kind: 'number', cell: ([, value]) => count(value) },
          ]}
        />
      </details>
    </div>
  );
}

function byKey(days: Daily['days']): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const { keyId, checks } of days) sums.set(keyId, (sums.get(keyId) ?? 0) + checks);
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** The service counts months in UTC. */
function monthsBack(): readonly string[] {
  const now = new Date();
  return Array.from({ length: MONTHS_BACK }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

function monthName(period: string): string {
  return new Date(`${period}-01T00:00:00Z`).toLocaleDateString('en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
