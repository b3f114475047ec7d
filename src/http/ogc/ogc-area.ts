import type { App, Area, FastifyRequest } from '../app-types.ts'
import { addEndpoints } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import { writeProblemPage } from './as-html.ts'
import { KeptCounts } from './kept-counts.ts'
import { KeptTimes } from './kept-times.ts'
import type { OgcParts } from './ogc-parts.ts'
import { ogcEndpoints } from './routes.ts'

/** OGC API Features, core and CRS by reference (OGC 17-069r4 and 18-058r1), over every published layer. */
export function ogcArea(parts: Omit<OgcParts, 'kept'>): Area {
  const { layers } = parts.catalog
  const kept = { counts: new KeptCounts(layers), times: new KeptTimes(layers) }
  return (app) => {
    app.decorate('html', { ...parts.pages, version: parts.version })
    answerFailures(app, app.log, writeProblemPage)
    keepBodies(app)
    addEndpoints(app, ogcEndpoints, { ...parts, kept })
  }
}

/** Features that are sent are read by the thread that writes them, digit by digit. */
function keepBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
}
