import type { ApiArea, App, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import { writeProblemPage } from './as-html.ts'
import { CachedCounts } from './cached-counts.ts'
import { CachedValues } from './cached-values.ts'
import type { OgcDeps } from './ogc-deps.ts'
import { PageTokens } from './page-token.ts'
import { ogcEndpoints } from './routes.ts'

/**
 * OGC API Features, core and CRS by reference (OGC 17-069r4 and 18-058r1), for every published layer.
 * `secret` signs page tokens.
 */
export function ogcArea({
  secret,
  ...parts
}: Omit<OgcDeps, 'kept' | 'pageTokens'> & { secret: Uint8Array }): ApiArea {
  const { layers } = parts.catalog
  const kept = { counts: new CachedCounts(layers), values: new CachedValues(layers) }
  const pageTokens = new PageTokens(secret)
  return (app) => {
    app.decorate('html', { ...parts.pages, version: parts.version })
    answerFailures(app, writeProblemPage)
    app.register(async (scope) => void scope.setNotFoundHandler(app.answerUnknownPath), { prefix: '/ogc' })
    keepBodies(app)
    addEndpoints(app, ogcEndpoints, { ...parts, kept, pageTokens })
  }
}

/** Features that are sent are read by the thread that writes them, digit by digit. */
function keepBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
}
