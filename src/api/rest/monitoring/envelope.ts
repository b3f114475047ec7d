import type { Dialect } from '../../../core/config/settings.ts'
import type { FieldMessages } from '../../../core/errors/errors.ts'
import { refusalBody } from '../../compat/dialect.ts'
import type { ProblemWriter } from '../../errors.ts'

export { envelope, okStatus } from './response-envelope.ts'

/** True if a path, without the base path, belongs to monitoring. */
export function isMonitoringPath(url: string): boolean {
  return /^\/monitoring(?=[/?]|$)/.test(url)
}

/** Writes errors below `/monitoring` in the envelope; those of no single field have the key `__all__`. */
export function envelopeWriter(dialect: Dialect): ProblemWriter {
  return (problem, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8')
    const refusal = refusalBody(dialect, reply.request.routeOptions.config ?? {}, problem.code)
    if (refusal !== undefined) return reply.removeHeader('www-authenticate').code(403).send(refusal)
    const errors: FieldMessages = problem.fields ?? { __all__: problem.errors ?? [problem.detail] }
    return reply.code(problem.status).send({ status: 'error', success: false, errors, data: [] })
  }
}
