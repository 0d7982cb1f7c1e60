/** Parses PromQL with Prometheus' own grammar, and lists the series and labels it uses. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Throws if it does not parse. */
export function selectorsOf(expression: string): readonly Selector[] {
  const selectors: { metric: string; labels: string[] }[] = [];
  parser.parse(expression).iterate({
    enter({ type, name, from, to, node }) {
      if (type.isError) throw new Error(`does not parse at ${from}: ${expression}`);
      const text = expression.slice(from, to);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector')
        selectors.push({ metric: text, labels: [] });
      if (name === 'LabelName' && node.parent?.name === 'UnquotedLabelMatcher')
        selectors.at(-1)?.labels.push(text);
    },
  });
  return selectors;
}

/** The labels of each series at /metrics. */
export function seriesIn(exposition: string): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>();
  for (const line of exposition.split('\n')) {
    const [, metric, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (metric === undefined) continue;
    const known = series.get(metric) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    series.set(metric, known);
  }
  return series;
}
