import { Failure } from '../../../lib/errors.ts'
import { escapeXml } from '../../../lib/text/escape-xml.ts'
import type { FastifyReply } from '../../app-types.ts'
import { toProblem } from '../../errors.ts'
import { OwsFailure } from '../ows-failure.ts'

/** What fails is told as TMS does. */
export async function orTmsError(
  reply: FastifyReply,
  answer: () => Promise<unknown> | unknown,
): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    const { status, text } = tell(error, reply)
    if (error instanceof Failure && error.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(error.retryAfterSeconds))
    reply.code(status).header('content-type', 'text/xml; charset=utf-8').header('cache-control', 'no-store')
    return reply.send(
      `<?xml version="1.0" encoding="UTF-8"?>\n<TileMapServerError><Message>${escapeXml(text)}</Message></TileMapServerError>\n`,
    )
  }
}

function tell(error: unknown, { request, log }: FastifyReply): { status: number; text: string } {
  // There is but one way to ask: what is not there is a path that is not there.
  if (error instanceof OwsFailure) return { status: 404, text: error.message }
  const { status, detail } = toProblem(error, request.id)
  if (status >= 500) {
    request.exception = error
    log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'request failed')
  }
  return { status, text: detail }
}
