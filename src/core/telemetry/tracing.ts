// Kind of a span. This module has no dependencies: until `setTracer` is called, nothing is traced.

type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'
type SpanAttributes = Record<string, string | number | boolean | undefined>

/** Options for a new span. */
export interface SpanOptions {
  kind?: SpanKind
  attributes?: SpanAttributes
  /** Header of the caller (W3C Trace Context); default: the active span. */
  traceparent?: string
}

/** One operation in a trace. */
export interface Span {
  /** 32 and 16 hexadecimal digits. */
  traceId: string
  spanId: string
  /** Header for calls to other servers (W3C Trace Context). */
  traceparent: string
  set(attributes: SpanAttributes): void
  rename(name: string): void
  fail(error: unknown): void
  end(): void
  /** Runs `work` with this span as the active one, across awaits. */
  run<T>(work: () => T): T
}

/** Creates spans; the OTLP exporter registers a tracer by `setTracer`. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span
  active(): Span | undefined
}

let tracer: Tracer | undefined

/** Sets the tracer; undefined ends tracing. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next
}

/** True if operations are traced. */
export function isTracing(): boolean {
  return tracer !== undefined
}

/** Starts a span that the caller ends; undefined if nothing is traced. */
export function startSpan(name: string, options: SpanOptions = {}): Span | undefined {
  return tracer?.start(name, options)
}

/** Runs `work` as a span; a rejection is recorded in it. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = tracer?.start(name, options)
  if (span === undefined) return work()
  try {
    return await span.run(work)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/** Returns the span that `run` has made active; undefined without one. */
export function activeSpan(): Span | undefined {
  return tracer?.active()
}

/** Returns headers that continue the active trace at another server; none if nothing is traced. */
export function traceHeaders(): { traceparent?: string } {
  const span = tracer?.active()
  return span === undefined ? {} : { traceparent: span.traceparent }
}

/** Returns fields for log lines within the active span. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = tracer?.active()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** Parses a `traceparent` header; undefined if it is invalid. */
export function parseTraceparent(
  text: string | undefined,
): { traceId: string; spanId: string; flags: number } | undefined {
  const parts = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/.exec(
    text ?? '',
  )
  if (parts === null || (text?.startsWith('00') === true && text.length !== 55)) return undefined
  const [, traceId = '', spanId = '', flags = '00'] = parts
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}
