import { escapeXml } from '../../../core/text/escape.ts'
import type { FastifyReply } from '../../app-types.ts'
import { noteFailure, tellWhenToRetry, toHttpProblem } from '../../errors.ts'
import { OwsFailure } from '../ows-failure.ts'

/** Reports errors in the format of TMS. */
export async function orTmsError(
  reply: FastifyReply,
  answer: () => Promise<unknown> | unknown,
): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    const { status, text } = tell(error, reply)
    return sendTmsError(reply, status, text)
  }
}

/** Sends an error document of TMS. */
export function sendTmsError(reply: FastifyReply, status: number, text: string): FastifyReply {
  reply.code(status).header('content-type', 'text/xml; charset=utf-8').header('cache-control', 'no-store')
  return reply.send(
    `<?xml version="1.0" encoding="UTF-8"?>\n<TileMapServerError><Message>${escapeXml(text)}</Message></TileMapServerError>\n`,
  )
}

function tell(error: unknown, reply: FastifyReply): { status: number; text: string } {
  // There is only one form of request: a missing resource is a missing path.
  if (error instanceof OwsFailure) return { status: 404, text: error.message }
  const problem = toHttpProblem(error, reply.request)
  if (problem.status >= 500) noteFailure(reply.request, error)
  tellWhenToRetry(reply, problem)
  return { status: problem.status, text: problem.detail }
}
