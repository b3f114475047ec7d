import type { NodeRole } from '../../core/config/node-role.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { App } from '../app-types.ts'

/** Paths that each server answers, whatever its roles. */
const ownPaths = /^\/(health(\/.*)?|metrics)$/

/** Lets a server without the role `serve` answer only `/health` and `/metrics`. */
export function refuseWithoutServing(app: App, roles: readonly NodeRole[]): void {
  if (roles.includes('serve')) return
  app.addHook('onRequest', (request, _reply, proceed) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (ownPaths.test(path)) return proceed()
    const text = `This server runs jobs only (TERRANE_ROLES=${roles.join(',')}): send requests to a server with the role serve`
    proceed(notFound('unknown-path', text))
  })
}
