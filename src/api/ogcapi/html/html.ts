import { ownValue } from '../../../core/values/record-keys.ts'
import { framed } from './frame.ts'
import type { HtmlPage, Shown } from './html-page.ts'
import { anyDocument } from './pages/any-document.ts'
import { apiPage } from './pages/api.ts'
import { collectionPage } from './pages/collection.ts'
import { collectionsPage } from './pages/collections.ts'
import { conformancePage } from './pages/conformance.ts'
import { featurePage } from './pages/feature.ts'
import { itemsPage } from './pages/items.ts'
import { landingPage } from './pages/landing.ts'
import { problemPage } from './pages/problem.ts'
import { cataloguePage, recordPage, recordsPage } from './pages/records.ts'
import { schemaPage } from './pages/schema.ts'
import { stacPage } from './pages/stac.ts'
import { stylePage, stylesPage } from './pages/styles.ts'
import { tileMatrixSetPage, tileMatrixSetsPage, tilesetPage, tilesetsPage } from './pages/tiles.ts'

type Render = (document: never, shown: Shown) => HtmlPage

/** HTML page by operation; other responses are shown name by name. */
const pages: Readonly<Record<string, Render>> = {
  getLandingPage: landingPage,
  getConformance: conformancePage,
  getApi: apiPage,
  getCollections: collectionsPage,
  describeCollection: collectionPage,
  getSchema: schemaPage('schema'),
  getQueryables: schemaPage('queryables'),
  getSortables: schemaPage('sortables'),
  getFeatures: itemsPage,
  getGranules: itemsPage,
  getFeature: featurePage,
  getGranule: featurePage,
  getTileMatrixSetsList: tileMatrixSetsPage,
  getTileMatrixSet: tileMatrixSetPage,
  getDatasetTilesets: tilesetsPage,
  getDatasetTileset: tilesetPage,
  getCollectionTilesets: tilesetsPage,
  getCollectionTileset: tilesetPage,
  getCatalogueLanding: cataloguePage,
  getCatalogueConformance: conformancePage,
  getCatalogueApi: apiPage,
  describeCatalogue: cataloguePage,
  getCatalogueSortables: schemaPage('sortables'),
  getRecords: recordsPage,
  getRecord: recordPage,
  getOgcStyles: stylesPage,
  getCollectionStyles: stylesPage,
  getOgcStyle: stylePage,
  getOgcStyleMetadata: stylePage,
  getStacCatalog: stacPage,
  getStacConformance: conformancePage,
  getStacApi: apiPage,
  getStacCollections: stacPage,
  getStacCollection: stacPage,
  getStacItems: stacPage,
  getStacItem: stacPage,
  searchStacItems: stacPage,
  problem: problemPage,
}

/** Writes the response of an operation, or a `problem`, as a complete HTML document. */
export function writeHtml(operation: string, document: object, shown: Shown): string {
  const render = ownValue(pages, operation) ?? anyDocument
  // Each operation's document has the type that its page reads: responses are described and compared in
  // tests.
  return framed(render(document as never, shown), shown)
}
