import type { App, Area, FastifyReply, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import type { ProblemWriter } from '../errors.ts'
import { answerFailures, problemWriter } from '../errors.ts'
import { OwsFailure } from './ows-failure.ts'
import type { OwsParts } from './ows-parts.ts'
import { owsEndpoints } from './routes.ts'
import { sendException } from './wfs/exceptions.ts'

/** WMS and WFS. Bodies are read where their encoding is known; what keeps one from being read is an exception too. */
export function owsArea(parts: OwsParts): Area {
  return (app: App) => {
    answerFailures(app, app.log, writeFailure)
    app.removeAllContentTypeParsers()
    const keep = async (_request: FastifyRequest, body: Buffer): Promise<Buffer> => body
    app.addContentTypeParser('*', { parseAs: 'buffer' }, keep)
    addEndpoints(app, owsEndpoints, parts)
  }
}

const writeFailure: ProblemWriter = (problem, reply: FastifyReply) => {
  if (reply.request.method !== 'POST') return problemWriter(reply.request.server.dialect)(problem, reply)
  const { status, detail } = problem
  return sendException(reply, new OwsFailure('NoApplicableCode', detail, undefined, status), '2.0.0')
}
