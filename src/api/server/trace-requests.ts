import type { Span } from '../../core/telemetry/tracing.ts'
import { startSpan } from '../../core/telemetry/tracing.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'

const spans = new WeakMap<FastifyRequest, Span>()

/**
 * Traces each request as a span of the semantic conventions of OpenTelemetry, as a child of the caller's span if
 * the request has the header `traceparent`. The query is left out, since it may have a token.
 */
export function traceRequests(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const span = startRequest(request)
    if (span === undefined) return done()
    spans.set(request, span)
    reply.raw.once('close', () => endRequest(span, request, reply))
    return span.run(done)
  })
  // After the body was read, whose events come from elsewhere.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    return span === undefined ? done() : span.run(done)
  })
}

function startRequest(request: FastifyRequest): Span | undefined {
  const { method, headers, routeOptions } = request
  const { traceparent } = headers
  return startSpan(routeOptions.url === undefined ? method : `${method} ${routeOptions.url}`, {
    kind: 'server',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': method,
      'http.route': routeOptions.url,
      'url.path': request.url.split('?', 1)[0],
      'url.scheme': request.protocol,
      'server.address': request.hostname,
      'user_agent.original': headers['user-agent'],
      'network.protocol.version': request.raw.httpVersion,
      'terrane.request.id': request.id,
    },
  })
}

function endRequest(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { headersSent } = reply.raw
  const status = headersSent ? reply.statusCode : undefined
  span.set({ 'http.response.status_code': status })
  if (!headersSent) span.set({ 'error.type': 'client_closed_request' })
  else if (reply.statusCode >= 500) span.fail(request.exception ?? new Error(`status ${reply.statusCode}`))
  span.end()
}
