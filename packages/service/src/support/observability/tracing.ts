/**
 * OpenTelemetry spans, if an OTLP endpoint is configured: one for each request, with its steps under it. Otherwise
 * nothing is loaded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Tracer } from '@opentelemetry/api';
import { VERSION } from '@writecheck/contract';
import type { StepTrace } from './step-trace.ts';

interface Context {
  readonly traceId: string;
  readonly nowMs: number;
}

interface FinishedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** The error's code. */
  readonly code: string | null;
  readonly context: Context;
  readonly traceparent: string | undefined;
  readonly durationMs: number;
}

export interface Tracing extends StepTrace {
  /** Handles a request, so that its steps are found under it. */
  around<T>(context: Context, handle: () => T): T;
  finished(request: FinishedRequest): void;
  stop(): Promise<void>;
}

type Attributes = { readonly [name: string]: string | number };

interface Step {
  readonly name: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly attributes: Attributes;
}

/** The steps of one request, with times of `performance.now()`. */
interface Steps {
  readonly startedMs: number;
  readonly steps: Step[];
  attributes: Attributes;
}

/** Probes call these several times a second, and none is about a decision. */
const NOT_TRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Null if `OTEL_EXPORTER_OTLP_ENDPOINT` is not set; the exporter reads it and its other variables itself. */
export async function createTracing(environment: NodeJS.ProcessEnv): Promise<Tracing | null> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT) return null;
  const [
    api,
    { BatchSpanProcessor, TracerProvider, RandomIdGenerator },
    { resourceFromAttributes },
    { OTLPTraceExporter },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const random = new RandomIdGenerator();
  let nextTraceId = '';
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': environment.OTEL_SERVICE_NAME || 'writecheck',
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
    }),
    // A trace that begins here has the id that its response names.
    idGenerator: { generateTraceId: () => nextTraceId, generateSpanId: () => random.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('writecheck');

  const running = new AsyncLocalStorage<Steps>();
  const stepsOf = new WeakMap<Context, Steps>();

  return {
    around(context, handle) {
      const steps: Steps = { startedMs: performance.now(), steps: [], attributes: {} };
      stepsOf.set(context, steps);
      return running.run(steps, handle);
    },
    begin(name) {
      const startedMs = performance.now();
      return (attributes = {}) =>
        void running.getStore()?.steps.push({ name, startedMs, endedMs: performance.now(), attributes });
    },
    note(attributes) {
      const steps = running.getStore();
      if (steps !== undefined) steps.attributes = { ...steps.attributes, ...attributes };
    },
    finished(request) {
      if (NOT_TRACED.has(request.route)) return;
      nextTraceId = request.context.traceId;
      span(api, tracer, request, stepsOf.get(request.context));
    },
    stop: () => provider.shutdown(),
  };
}

function span(
  api: typeof import('@opentelemetry/api'),
  tracer: Tracer,
  { method, route, status, code, context, traceparent, durationMs }: FinishedRequest,
  steps: Steps | undefined,
): void {
  const { traceId, nowMs: startedAtMs } = context;
  const parent = parentOf(traceparent, traceId);
  const outer =
    parent === null
      ? api.ROOT_CONTEXT
      : api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, isRemote: true, ...parent });
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(code === null ? {} : { 'error.type': code }),
    ...steps?.attributes,
  };
  const kind = api.SpanKind.SERVER;
  const whole = tracer.startSpan(`${method} ${route}`, { kind, startTime: startedAtMs, attributes }, outer);
  if (status >= 500) whole.setStatus({ code: api.SpanStatusCode.ERROR });
  const inner = api.trace.setSpan(outer, whole);
  for (const step of steps?.steps ?? []) {
    const atMs = (ms: number) => startedAtMs + ms - steps!.startedMs;
    tracer
      .startSpan(step.name, { startTime: atMs(step.startedMs), attributes: step.attributes }, inner)
      .end(atMs(step.endedMs));
  }
  whole.end(startedAtMs + durationMs);
}

/** The caller's span, if the response's trace continues the caller's. */
function parentOf(
  header: string | undefined,
  traceId: string,
): { readonly spanId: string; readonly traceFlags: number } | null {
  if (header === undefined) return null;
  const [, sent, spanId, flags] = header.split('-');
  if (sent !== traceId || spanId === undefined || flags === undefined) return null;
  return { spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}
