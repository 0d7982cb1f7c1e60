/** Prometheus metrics of the reader: reads by control and outcome, and response times. */

export interface ReaderMetrics {
  read(controlId: string, isRead: boolean, seconds: number): void;
  answered(status: number, seconds: number): void;
  render(): Promise<string>;
}

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** The library is loaded only if metrics are configured. */
export async function createReaderMetrics(
  controls: readonly { readonly id: string }[],
): Promise<ReaderMetrics> {
  const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const reads = new Counter({
    name: 'writecheck_facts_reads_total',
    help: 'reads of records, by control and outcome',
    labelNames: ['control', 'outcome'],
    registers,
  });
  // Counted from 0, so that the first failure shows as an increase.
  for (const { id: control } of controls) {
    for (const outcome of ['read', 'unavailable']) reads.inc({ control, outcome }, 0);
  }
  const durations = new Histogram({
    name: 'writecheck_facts_read_duration_seconds',
    help: 'how long one read of a record took',
    labelNames: ['control'],
    buckets: LATENCY_SECONDS,
    registers,
  });
  const requests = new Histogram({
    name: 'writecheck_facts_request_duration_seconds',
    help: 'from the head of a request to its response',
    labelNames: ['status'],
    buckets: LATENCY_SECONDS,
    registers,
  });
  return {
    read: (control, isRead, seconds) => {
      reads.inc({ control, outcome: isRead ? 'read' : 'unavailable' });
      durations.observe({ control }, seconds);
    },
    answered: (status, seconds) => requests.observe({ status }, seconds),
    render: () => registry.metrics(),
  };
}
