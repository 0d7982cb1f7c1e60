/** One OpenTelemetry span per request, if an OTLP endpoint is configured; otherwise nothing is loaded. */

export interface FinishedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly traceId: string;
  readonly traceparent: string | undefined;
  readonly startedAtMs: number;
  readonly durationMs: number;
}

export interface Tracing {
  finished(request: FinishedRequest): void;
  stop(): Promise<void>;
}

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
    resource: resourceFromAttributes({ 'service.name': environment.OTEL_SERVICE_NAME || 'writecheck' }),
    // A trace that begins here has the id that its response names.
    idGenerator: { generateTraceId: () => nextTraceId, generateSpanId: () => random.generateSpanId() },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('writecheck');

  return {
    finished: ({ method, route, status, traceId, traceparent, startedAtMs, durationMs }) => {
      nextTraceId = traceId;
      const parent = parentOf(traceparent, traceId);
      const context =
        parent === null
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, isRemote: true, ...parent });
      const span = tracer.startSpan(
        `${method} ${route}`,
        {
          kind: api.SpanKind.SERVER,
          startTime: startedAtMs,
          attributes: {
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
          },
        },
        context,
      );
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end(startedAtMs + durationMs);
    },
    stop: () => provider.shutdown(),
  };
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
