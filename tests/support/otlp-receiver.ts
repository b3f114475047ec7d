import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface ReceivedSpan {
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

interface ReceivedMetric {
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

interface SentSpan extends Pick<ReceivedSpan, 'name' | 'kind' | 'traceId' | 'spanId' | 'parentSpanId'> {
  attributes?: Attribute[]
  status?: { code?: number }
}

/** A number, or a 64-bit number as text. */
type SentNumber = number | string

interface SentPoint {
  attributes?: Attribute[]
  asDouble?: number
  asInt?: SentNumber
  sum?: number
  count?: SentNumber
  explicitBounds?: number[]
}

interface SentData {
  dataPoints: SentPoint[]
  isMonotonic?: boolean
}

interface SentMetric {
  name: string
  unit: string
  sum?: SentData
  gauge?: SentData
  histogram?: SentData
}

/** The members of an export that tests read. */
interface TraceBody {
  resourceSpans: { resource: { attributes?: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[]
}

interface MetricsBody {
  resourceMetrics: { scopeMetrics: { metrics: SentMetric[] }[] }[]
}

function readSpans({ resourceSpans }: TraceBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        attributes: readAttributes(span.attributes),
        status: span.status?.code ?? 0,
        resource: readAttributes(resource.attributes),
      })),
    ),
  )
}

function readMetrics({ resourceMetrics }: MetricsBody): ReceivedMetric[] {
  return resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics.map(readMetric)),
  )
}

function readMetric({ name, unit, sum, gauge, histogram }: SentMetric): ReceivedMetric {
  const { dataPoints = [] } = sum ?? gauge ?? histogram ?? {}
  return {
    name,
    unit,
    isMonotonic: sum?.isMonotonic ?? false,
    points: dataPoints.map((point) => ({
      attributes: readAttributes(point.attributes),
      value: Number(point.asDouble ?? point.asInt ?? point.sum),
      count: point.count === undefined ? undefined : Number(point.count),
      bounds: point.explicitBounds,
    })),
  }
}

/** Starts a receiver on a free loopback port; it ends after the test. */
export async function startOtlpReceiver(t: { after(work: () => void): void }): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const metrics = new Map<string, ReceivedMetric>()
  let headers: Record<string, unknown> = {}
  const server = createServer(async (request, reply) => {
    const body: unknown = await json(request)
    headers = request.headers
    if (request.url === '/v1/traces') spans.push(...readSpans(body as TraceBody))
    else if (request.url === '/v1/metrics')
      for (const metric of readMetrics(body as MetricsBody)) metrics.set(metric.name, metric)
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
