import type { ApiArea } from '../app-types.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import { answerFailures } from '../errors.ts'
import type { HtmlPageSettings } from '../ogcapi/as-html.ts'
import { writeProblemPage } from '../ogcapi/as-html.ts'
import {
  getStacApi,
  getStacCatalog,
  getStacCollection,
  getStacCollections,
  getStacConformance,
} from './catalogue.ts'
import { getStacItem, getStacItems, postStacSearch, searchStacItems } from './items.ts'
import type { StacDeps } from './stac-deps.ts'
import { stacRoot } from './stac-links.ts'

const collection = `${stacRoot}/collections/:collectionId`

/** `/stac`: rasters and mosaics by STAC API 1.0.0. Requests count like those of coverages. */
export const stacEndpoints = [
  endpoint('GET', stacRoot, 'public', 'OWS:WCS', { getStacCatalog }),
  endpoint('GET', `${stacRoot}/conformance`, 'public', 'OWS:WCS', { getStacConformance }),
  endpoint('GET', `${stacRoot}/api`, 'public', 'OWS:WCS', { getStacApi }),
  endpoint('GET', `${stacRoot}/collections`, 'public', 'OWS:WCS', { getStacCollections }),
  endpoint('GET', collection, 'layer', 'OWS:WCS', { getStacCollection }),
  endpoint('GET', `${collection}/items`, 'layer', 'OWS:WCS', { getStacItems }),
  endpoint('GET', `${collection}/items/:itemId`, 'layer', 'OWS:WCS', { getStacItem }),
  endpoint('GET', `${stacRoot}/search`, 'public', 'OWS:WCS', { searchStacItems }),
  endpoint('POST', `${stacRoot}/search`, 'public', 'OWS:WCS', { postStacSearch }),
]

/** The STAC catalogue, with errors as HTML where a page was requested. */
export function stacArea({
  pages,
  ...deps
}: StacDeps & { pages: Omit<HtmlPageSettings, 'version'> }): ApiArea {
  return (app) => {
    app.decorate('html', { ...pages, version: deps.version })
    answerFailures(app, writeProblemPage)
    addEndpoints(app, stacEndpoints, deps)
  }
}
