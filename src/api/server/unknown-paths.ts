import { Failure, notFound } from '../../core/errors/errors.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

function toPattern(url: string): RegExp {
  const source = url
    .split(/(:\w+|\*)/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('')
  return new RegExp(`^${source}$`)
}

/**
 * Responds to paths without a route: 405 with `Allow` if the path exists for other methods, 404 otherwise.
 */
export function answerUnknownPaths(app: App, basePath: string): void {
  const known = new Map<string, KnownPath>()
  app.addHook('onRoute', ({ url, method }) => {
    const path = known.get(url) ?? { pattern: toPattern(url), methods: new Set() }
    known.set(url, path)
    for (const one of Array.isArray(method) ? method : [method]) path.methods.add(one)
  })
  const answer = (request: FastifyRequest, reply: FastifyReply): never => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = [...known.values()]
      .filter((one) => one.pattern.test(path))
      .flatMap((one) => [...one.methods])
    if (methods.length === 0) {
      const requested = request.originalUrl.split('?', 1)[0] ?? ''
      const hint = requested.startsWith(`${basePath}/`) ? '' : `: this server stands at ${basePath}/`
      throw notFound('unknown-path', `No such path: ${requested}${hint}`)
    }
    return refuseMethod(reply, request.method, [...new Set(methods)].sort())
  }
  app.decorate('answerUnknownPath', answer)
  app.setNotFoundHandler(answer)
}

function refuseMethod(reply: FastifyReply, method: string, methods: string[]): never {
  const allow = methods.join(', ')
  reply.header('allow', allow)
  throw new Failure('notAllowed', 'method-not-allowed', `${method} is not allowed here, only ${allow}`)
}
