import type { ApiArea, App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import type { ProblemWriter } from '../errors.ts'
import { answerFailures, problemWriter } from '../errors.ts'
import { sendUnansweredException, services } from './answer-service.ts'
import type { OwsDeps } from './ows-deps.ts'
import { OwsFailure } from './ows-failure.ts'
import type { RequestDocuments } from './request-documents.ts'
import { owsEndpoints } from './routes.ts'
import { sendTmsError } from './tms/exceptions.ts'

/**
 * WMS, WFS, WCS and WMTS. Bodies are decoded if their encoding is known; errors of reading a body become
 * exception documents too.
 */
export function owsArea(deps: OwsDeps): ApiArea {
  return (app: App) => {
    answerFailures(app, failureWriter(deps.documents))
    app.removeAllContentTypeParsers()
    const keep = async (_request: FastifyRequest, body: Buffer): Promise<Buffer> => body
    app.addContentTypeParser('*', { parseAs: 'buffer' }, keep)
    app.addHook('onClose', () => deps.documents.close())
    addEndpoints(app, owsEndpoints, deps)
  }
}

/** Writes failures as the service of the address does: outages for every client, other failures of posted requests alone. */
function failureWriter(documents: RequestDocuments): ProblemWriter {
  return (problem, reply: FastifyReply) => {
    const { method, server, routeOptions } = reply.request
    const { status, detail, code } = problem
    const url = routeOptions.url ?? ''
    if (method === 'POST') {
      const text =
        code === 'body-too-large'
          ? `The body has more than ${documents.limits.bodyBytes} bytes, which is the limit here`
          : detail
      const failure = new OwsFailure('NoApplicableCode', text, undefined, status)
      const name = url.endsWith('/wms') ? 'WMS' : url.endsWith('/wcs') ? 'WCS' : 'WFS'
      return services[name].sendException(reply, failure)
    }
    if (status < 500) return problemWriter(server.dialect)(problem, reply)
    if (/\/tms(?=\/|$)/.test(url)) return sendTmsError(reply, status, detail)
    return sendUnansweredException(reply, new OwsFailure('NoApplicableCode', detail, undefined, status))
  }
}
