import type { App, Area, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import { writeProblemPage } from './as-html.ts'
import { KeptCounts } from './kept-counts.ts'
import { KeptValues } from './kept-values.ts'
import type { OgcParts } from './ogc-parts.ts'
import { PageTokens } from './page-token.ts'
import { ogcEndpoints } from './routes.ts'

/**
 * OGC API Features, core and CRS by reference (OGC 17-069r4 and 18-058r1), for every published layer.
 * `secret` signs page tokens.
 */
export function ogcArea({
  secret,
  ...parts
}: Omit<OgcParts, 'kept' | 'pageTokens'> & { secret: Uint8Array }): Area {
  const { layers } = parts.catalog
  const kept = { counts: new KeptCounts(layers), values: new KeptValues(layers) }
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
