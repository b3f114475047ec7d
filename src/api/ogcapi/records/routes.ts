import { endpoint } from '../../endpoint.ts'
import {
  describeCatalogue,
  getCatalogueApi,
  getCatalogueConformance,
  getCatalogueLanding,
  getCatalogueSortables,
  getCatalogues,
} from './catalogue.ts'
import { getDcat } from './dcat.ts'
import { getRecord, getRecords } from './records.ts'

const root = '/ogc/catalogue'
const collection = `${root}/collections/layers`

/**
 * `/ogc/catalogue`: OGC API Records with its own landing page, so that the collections of `/ogc` are layers
 * only.
 */
export const recordEndpoints = [
  endpoint('GET', root, 'public', 'OWS:WFS', { getCatalogueLanding }),
  endpoint('GET', `${root}/conformance`, 'public', 'OWS:WFS', { getCatalogueConformance }),
  endpoint('GET', `${root}/api`, 'public', 'OWS:WFS', { getCatalogueApi }),
  endpoint('GET', `${root}/collections`, 'public', 'OWS:WFS', { getCatalogues }),
  endpoint('GET', `${root}/dcat`, 'public', 'OWS:WFS', { getDcat }),
  endpoint('GET', collection, 'public', 'OWS:WFS', { describeCatalogue }),
  endpoint('GET', `${collection}/sortables`, 'public', 'OWS:WFS', { getCatalogueSortables }),
  endpoint('GET', `${collection}/items`, 'public', 'OWS:WFS', { getRecords }),
  endpoint('GET', `${collection}/items/:recordId`, 'public', 'OWS:WFS', { getRecord }),
]
