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

/** The labels by which each aggregation of an expression groups; none if it groups by nothing, or leaves labels out. */
export function aggregationsOf(expression: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  parser.parse(expression).iterate({
    enter({ name, node }) {
      if (name !== 'AggregateExpr') return;
      const modifier = node.getChild('AggregateModifier');
      const labels = modifier?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
      const isBy = modifier?.getChild('By') !== null && modifier !== null;
      found.push(isBy ? labels.map(({ from, to }) => expression.slice(from, to)) : []);
    },
  });
  return found;
}

/** The labels of each series at /metrics. */
export function seriesIn(exposition: string): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>();
  for (const line of exposition.split('\n')) {
    // A counter with labels has no line before it first counts, but its type.
    const [, typed] = /^# TYPE (\w+) counter$/.exec(line) ?? [];
    const [, metric = typed, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (metric === undefined) continue;
    const known = series.get(metric) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    series.set(metric, known);
  }
  return series;
}
