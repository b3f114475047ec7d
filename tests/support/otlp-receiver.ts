import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

interface Attribute {
  key: string
  value: Record<string, unknown>
}

export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Record<string, unknown>
  /** 2 is an error. */
  status: number
  resource: Record<string, unknown>
}

export interface ReceivedMetric {
  name: string
  unit: string
  points: { attributes: Record<string, unknown>; value: number; count?: number; bounds?: number[] }[]
  isMonotonic: boolean
}

/** Receives OTLP over HTTP in JSON, as a collector does. */
export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  /** The last export of each metric, by name. */
  metrics: Map<string, ReceivedMetric>
  /** Headers of the last export. */
  headers(): Record<string, unknown>
}

function readAttributes(list: Attribute[] = []): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value }) => {
      const [one] = Object.entries(value)
      return [key, one?.[0] === 'intValue' ? Number(one[1]) : one?.[1]]
    }),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: the body is what the exporter sends; tests read a few members.
type Body = any

function readSpans(body: Body): ReceivedSpan[] {
  return body.resourceSpans.flatMap((resource: Body) =>
    resource.scopeSpans.flatMap((scope: Body) =>
      scope.spans.map((span: Body) => ({
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        attributes: readAttributes(span.attributes),
        status: span.status?.code ?? 0,
        resource: readAttributes(resource.resource.attributes),
      })),
    ),
  )
}

function readMetrics(body: Body): ReceivedMetric[] {
  return body.resourceMetrics.flatMap((resource: Body) =>
    resource.scopeMetrics.flatMap((scope: Body) =>
      scope.metrics.map((metric: Body) => {
        const data = metric.sum ?? metric.gauge ?? metric.histogram
        return {
          name: metric.name,
          unit: metric.unit,
          isMonotonic: metric.sum?.isMonotonic ?? false,
          points: data.dataPoints.map((point: Body) => ({
            attributes: readAttributes(point.attributes),
            value: Number(point.asDouble ?? point.asInt ?? point.sum),
            count: point.count === undefined ? undefined : Number(point.count),
            bounds: point.explicitBounds,
          })),
        }
      }),
    ),
  )
}

/** Starts a receiver on a free loopback port; it ends after the test. */
export async function startOtlpReceiver(t: { after(work: () => void): void }): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, ReceivedMetric>()
  let headers: Record<string, unknown> = {}
  const server = createServer(async (request, reply) => {
    const body = (await json(request)) as Body
    headers = request.headers
    if (request.url === '/v1/traces') spans.push(...readSpans(body))
    else if (request.url === '/v1/metrics')
      for (const metric of readMetrics(body)) metrics.set(metric.name, metric)
    else reply.statusCode = 404
    reply.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}`, spans, metrics, headers: () => headers }
}
