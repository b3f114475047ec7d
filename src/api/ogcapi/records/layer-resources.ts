import type { Catalog, LayerRecord } from '../../../catalog/index.ts'
import { formatsOfFiles } from '../../../render/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { layerSegment } from '../../tiles/named-layers.ts'
import { collectionId } from '../collection.ts'
import { coverageLinks, mapLink } from '../coverage.ts'
import { offeredItems } from '../offered.ts'

const relations = 'http://www.opengis.net/def/rel/ogc/1.0'

/** A resource of a layer. */
export interface Resource {
  rel: string
  type: string
  title: string
  href: string
  length?: number
  /** Role in a catalogue: a file, or a service; absent for descriptive resources. */
  gives?: 'file' | 'service'
}

/** All that there is of a layer. */
export async function resourcesOf(
  catalog: Catalog,
  request: FastifyRequest,
  layer: LayerRecord,
): Promise<Resource[]> {
  const collection = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
  const at = (rel: string, type: string, title: string, path: string): Resource => ({
    rel,
    type,
    title,
    href: request.link(path),
  })
  const page = at('about', 'text/html', 'Page', `/app/layers/${encodeURIComponent(collectionId(layer))}`)
  const described = at('describes', 'application/json', 'The layer as a collection', collection)
  if (layer.details.kind === 'vector')
    return [
      described,
      ...featureResources(at, collection),
      ...fileResources(at, layer, collection),
      ...mapResources(at, layer, collection),
      page,
    ]
  const store = await catalog.layers.storeOf(layer).catch(() => undefined)
  const links = store === undefined ? [] : await coverageLinks(request, layer, store)
  const hasMap = (layer.details.srs ?? layer.details.crs) !== undefined
  const maps = hasMap ? [{ ...mapLink(request, collection), gives: 'service' as const }] : []
  const files = links.map(({ rel, ...one }) => ({
    ...one,
    rel,
    gives: rel === 'enclosure' ? ('file' as const) : undefined,
  }))
  return [described, ...files, ...maps, ...mapResources(at, layer, collection), page]
}

type At = (rel: string, type: string, title: string, path: string) => Resource

function featureResources(at: At, collection: string): Resource[] {
  const forms = offeredItems.filter(({ mediaType }) => mediaType !== 'text/html')
  return [
    ...forms.map(({ name, mediaType, title }, index) => ({
      ...at('items', mediaType, title, `${collection}/items${index === 0 ? '' : `?f=${name}`}`),
      gives: 'service' as const,
    })),
    at('describedby', 'application/schema+json', 'Schema', `${collection}/schema`),
  ]
}

/** Formats that hold a table without geometry. */
const formatsOfTables: readonly string[] = ['gpkg', 'csv']

/** Files of the whole layer. */
function fileResources(at: At, { details: { schema } }: LayerRecord, collection: string): Resource[] {
  return Object.entries(formatsOfFiles)
    .filter(
      ([name, { of }]) =>
        of === 'features' && (schema.geometry !== undefined || formatsOfTables.includes(name)),
    )
    .map(([name, { title, mediaType }]) => ({
      ...at('enclosure', mediaType.split(';', 1).join(), `${title} file`, `${collection}/download?f=${name}`),
      gives: 'file',
    }))
}

function mapResources(at: At, layer: LayerRecord, collection: string): Resource[] {
  const { kind, schema, srs, crs } = layer.details
  if ((kind === 'vector' && schema.geometry === undefined) || (srs ?? crs) === undefined) return []
  const tiles = `/tiles/${layerSegment(layer)}`
  const vectors: Resource = {
    ...at(`${relations}/tilesets-vector`, 'application/json', 'Vector tiles', `${collection}/tiles`),
    gives: 'service',
  }
  const pictures: Resource = {
    ...at(`${relations}/tilesets-map`, 'application/json', 'Tiles of pictures (TileJSON)', tiles),
    gives: 'service',
  }
  return [
    kind === 'vector' ? vectors : pictures,
    at('stylesheet', 'application/json', 'MapLibre style', `${tiles}/style.json`),
    at('preview', 'image/png', 'Thumbnail', `${tiles}/thumbnail.png`),
  ]
}
