import type { App, Area, FastifyReply, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import type { ProblemWriter } from '../errors.ts'
import { answerFailures, problemWriter } from '../errors.ts'
import { refuseUnasked } from './answer-service.ts'
import { OwsFailure } from './ows-failure.ts'
import type { OwsParts } from './ows-parts.ts'
import { owsEndpoints } from './routes.ts'
import { sendTmsError } from './tms/exceptions.ts'
import { sendException } from './wfs/exceptions.ts'

/** WMS and WFS. Bodies are read where their encoding is known; what keeps one from being read is an exception too. */
export function owsArea(parts: OwsParts): Area {
  return (app: App) => {
    answerFailures(app, writeFailure)
    app.removeAllContentTypeParsers()
    const keep = async (_request: FastifyRequest, body: Buffer): Promise<Buffer> => body
    app.addContentTypeParser('*', { parseAs: 'buffer' }, keep)
    addEndpoints(app, owsEndpoints, parts)
  }
}

/** Outages are exception documents for every client; a missing login is told to GET requests as elsewhere. */
const writeFailure: ProblemWriter = (problem, reply: FastifyReply) => {
  const { request } = reply
  const { status, detail } = problem
  if (request.method === 'POST')
    return sendException(reply, new OwsFailure('NoApplicableCode', detail, undefined, status), '2.0.0')
  if (status < 500) return problemWriter(request.server.dialect)(problem, reply)
  if (/\/tms(?=\/|$)/.test(request.routeOptions.url ?? '')) return sendTmsError(reply, status, detail)
  return refuseUnasked(reply, new OwsFailure('NoApplicableCode', detail, undefined, status))
}
