// Loaded only if an OTLP endpoint is set: the packages of OpenTelemetry take memory and time at the start.
import type { Context, Span as OtelSpan, Tracer as OtelTracer } from '@opentelemetry/api'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { Sampler } from '@opentelemetry/sdk-trace'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { SamplerSettings, TelemetrySettings } from '../config/telemetry-settings.ts'
import { explain } from '../errors/errors.ts'
import type { Span, SpanOptions, Tracer } from '../telemetry/tracing.ts'
import { parseTraceparent, setTracer } from '../telemetry/tracing.ts'
import { defined } from '../values/defined.ts'
import { openMetricExport, type ReadMetrics } from './otlp-metrics.ts'

/** Identifies this process in traces and metrics. */
export interface TelemetryIdentity {
  version: string
  /** Id of the server, new at each start. */
  nodeId: string
  host: string
}

/** Time limit of one export, and of the last one when the server stops. */
const exportMs = 5_000
const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

/**
 * Starts exporting traces and metrics. Returns a function that sends the remaining data and ends the export.
 */
export function openTelemetry(
  settings: TelemetrySettings,
  identity: TelemetryIdentity,
  readMetrics: ReadMetrics,
): () => Promise<void> {
  const resource = describeProcess(settings, identity)
  const closers = [
    ...(settings.tracesUrl === undefined ? [] : [openTraceExport(settings, settings.tracesUrl, resource)]),
    ...(settings.metricsUrl === undefined
      ? []
      : [openMetricExport(settings, settings.metricsUrl, resource, readMetrics)]),
  ]
  return async () => {
    await Promise.all(closers.map((close) => close().catch(() => undefined)))
  }
}

function describeProcess(settings: TelemetrySettings, identity: TelemetryIdentity): Resource {
  return resourceFromAttributes({
    'service.name': settings.serviceName,
    'service.version': identity.version,
    'service.instance.id': identity.nodeId,
    'host.name': identity.host,
    'process.pid': process.pid,
    ...settings.resource,
  })
}

function openTraceExport(settings: TelemetrySettings, url: string, resource: Resource): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url, headers: settings.headers, timeoutMillis: exportMs })
  const processor = new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportMs })
  const provider = new TracerProvider({
    resource,
    sampler: createSampler(settings.sampler),
    spanProcessors: [processor],
  })
  setTracer(createTracer(provider.getTracer('terrane')))
  return () => {
    setTracer(undefined)
    return provider.shutdown()
  }
}

function createSampler({ kind, ratio, isParentBased }: SamplerSettings): Sampler {
  const root =
    kind === 'ratio'
      ? new TraceIdRatioBasedSampler(ratio)
      : kind === 'on'
        ? new AlwaysOnSampler()
        : new AlwaysOffSampler()
  return isParentBased ? new ParentBasedSampler({ root }) : root
}

function createTracer(tracer: OtelTracer): Tracer {
  const manager = new AsyncLocalStorageContextManager().enable()
  return {
    start: (name, options) => startSpan(tracer, manager, name, options),
    active: () => {
      const span = trace.getSpan(manager.active())
      return span === undefined ? undefined : wrapSpan(span, manager)
    },
  }
}

function startSpan(
  tracer: OtelTracer,
  manager: AsyncLocalStorageContextManager,
  name: string,
  { kind = 'internal', attributes = {}, traceparent }: SpanOptions,
): Span {
  const parent = traceparent === undefined ? manager.active() : readParent(traceparent)
  const options = { kind: kinds[kind], attributes: defined(attributes) }
  return wrapSpan(tracer.startSpan(name, options, parent), manager)
}

function readParent(traceparent: string): Context {
  const parent = parseTraceparent(traceparent)
  if (parent === undefined) return ROOT_CONTEXT
  const { traceId, spanId, flags } = parent
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true })
}

function wrapSpan(span: OtelSpan, manager: AsyncLocalStorageContextManager): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceId,
    spanId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    set: (attributes) => span.setAttributes(defined(attributes)),
    rename: (name) => span.updateName(name),
    fail: (error) => {
      span.setAttribute('error.type', error instanceof Error ? error.name : 'Error')
      span.setStatus({ code: SpanStatusCode.ERROR, message: explain(error).slice(0, 500) })
    },
    end: () => span.end(),
    run: (work) => manager.with(trace.setSpan(manager.active(), span), work),
  }
}
