import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Catalog, LayerRecord, StoreKind, StoreRecord } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import { isEmptyEnvelope } from '../../../geo/envelope.ts'
import { toJavaClass } from '../../../transforms/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import { Linked, storePath } from '../catalog/paths.ts'
import { getStore } from '../catalog/stores.ts'
import { StoreParams } from './paths.ts'

/** Dependencies of the endpoints of feature types and coverages. */
export interface ResourceDeps {
  catalog: Catalog
  bounds: LayerBounds
}

const Box = Type.Object({
  minx: Type.Number(),
  maxx: Type.Number(),
  miny: Type.Number(),
  maxy: Type.Number(),
  crs: Type.Optional(Type.String()),
})
const Attribute = Type.Object({
  name: Type.String(),
  minOccurs: Type.Integer(),
  maxOccurs: Type.Integer(),
  nillable: Type.Boolean(),
  binding: Type.String(),
})
const Resource = Type.Object({
  name: Type.String(),
  nativeName: Type.String(),
  namespace: Linked,
  title: Type.String(),
  abstract: Type.Optional(Type.String()),
  keywords: Type.Object({ string: Type.Array(Type.String()) }),
  srs: Type.Optional(Type.String()),
  nativeBoundingBox: Type.Optional(Box),
  latLonBoundingBox: Type.Optional(Box),
  projectionPolicy: Type.Literal('NONE'),
  enabled: Type.Boolean(),
  store: Type.Object({ '@class': Type.String(), ...Linked.properties }),
  attributes: Type.Optional(Type.Object({ attribute: Type.Array(Attribute) })),
})

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const Keywords = Type.Object({
  string: Type.Union([
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 }),
    Type.String({ minLength: 1, maxLength: 200 }),
  ]),
})
const ResourceBody = Type.Object({
  name: text(100),
  title: text(10_000),
  abstract: text(1_000_000),
  keywords: Type.Optional(Keywords),
})

/** Names in which feature types and coverages differ. */
const kinds = {
  dataStore: { root: 'featureType', list: 'featuretypes', noun: 'Feature type' },
  coverageStore: { root: 'coverage', list: 'coverages', noun: 'Coverage' },
} as const satisfies Record<StoreKind, { root: string; list: string; noun: string }>

const tags = ['geoserver']
const resource = Type.String({ description: 'Name of a layer of the store' })
const params = Type.Object({ ...StoreParams.properties, resource })

/** Creates the operations on the resource behind a layer. */
function resourceOperations<Root extends 'featureType' | 'coverage'>(kind: StoreKind, root: Root) {
  const { noun } = kinds[kind]
  const Reply = Type.Object({ [root]: Resource })
  return {
    show: operation({
      summary: `Show one ${noun.toLowerCase()} of a store`,
      description: 'Texts, CRS, bounds, store and attributes of a layer, in the shape of GeoServer.',
      tags,
      params,
      answers: { 200: Reply },
      handle: async (deps: ResourceDeps, request) => {
        const found = await getResource(deps.catalog, request, kind, request.params)
        return { [root]: await toResource(deps, request, found) }
      },
    }),
    change: operation({
      summary: `Change one ${noun.toLowerCase()} of a store`,
      description: 'Changes title, abstract and keywords in the body. The name cannot be changed.',
      tags,
      params,
      body: Type.Object({ [root]: ResourceBody }),
      answers: { 200: Reply },
      handle: async (deps: ResourceDeps, request) => {
        const { layer } = await getResource(deps.catalog, request, kind, request.params)
        const content = (request.body as Record<string, Static<typeof ResourceBody>>)[root]
        if (content !== undefined) await deps.catalog.layers.change(layer, readResource(layer, content))
        const changed = await getResource(deps.catalog, request, kind, request.params)
        return { [root]: await toResource(deps, request, changed) }
      },
    }),
    remove: operation({
      summary: `Delete one ${noun.toLowerCase()} of a store`,
      description: 'Unpublishes the layer, also without `recurse`; its table or file stays.',
      tags,
      params,
      query: Type.Object({
        recurse: Type.Optional(Type.Boolean({ description: 'Accepted for scripts of GeoServer' })),
      }),
      answers: { 200: empty() },
      handle: async ({ catalog }: ResourceDeps, request, reply) => {
        const { layer } = await getResource(catalog, request, kind, request.params)
        await catalog.layers.delete(layer, { recurse: false })
        return reply.code(200).send()
      },
    }),
  }
}

export const {
  show: showFeatureType,
  change: changeFeatureType,
  remove: deleteFeatureType,
} = resourceOperations('dataStore', 'featureType')
export const {
  show: showCoverage,
  change: changeCoverage,
  remove: deleteCoverage,
} = resourceOperations('coverageStore', 'coverage')

interface FoundResource {
  store: StoreRecord
  layer: LayerRecord
}

/** A layer that the caller may not read counts as missing. */
async function getResource(
  catalog: Catalog,
  request: FastifyRequest,
  kind: StoreKind,
  names: { workspace: string; store: string; resource: string },
): Promise<FoundResource> {
  const store = await getStore(catalog, kind, names)
  const layer = await catalog.layers.find(names.workspace, names.resource)
  const isReadable = layer !== undefined && (await request.rights()).can('read', layer)
  if (layer?.storeId === store.id && isReadable) return { store, layer }
  throw notFound(
    'unknown-layer',
    `Store "${store.name}" of workspace "${store.workspace}" has no layer "${names.resource}"`,
  )
}

function readResource(layer: LayerRecord, { name, title, abstract, keywords }: Static<typeof ResourceBody>) {
  if (name !== undefined && name !== layer.name)
    throw invalid('invalid-body', `The name of layer "${layer.name}" cannot be changed`)
  const words = keywords?.string
  return { title, abstract, keywords: typeof words === 'string' ? [words] : words }
}

async function toResource(
  { bounds }: Pick<ResourceDeps, 'bounds'>,
  request: FastifyRequest,
  { store, layer }: FoundResource,
): Promise<Static<typeof Resource>> {
  const { details } = layer
  const { envelope, srs } = details
  const { minX: minx, minY: miny, maxX: maxx, maxY: maxy } = envelope ?? {}
  const [west, south, east, north] = (await bounds.ofLayer(layer)) ?? []
  return {
    name: layer.name,
    nativeName: layer.nativeName,
    namespace: {
      name: layer.workspace,
      href: request.link(`/rest/namespaces/${encodeURIComponent(layer.workspace)}`),
    },
    title: details.title,
    abstract: details.abstract,
    keywords: { string: [...(details.keywords ?? [])] },
    srs,
    nativeBoundingBox:
      envelope === undefined || isEmptyEnvelope(envelope) ? undefined : boxOf([minx, miny, maxx, maxy], srs),
    latLonBoundingBox: boxOf([west, south, east, north], 'EPSG:4326'),
    projectionPolicy: 'NONE',
    enabled: store.isEnabled,
    store: {
      '@class': store.kind,
      name: `${store.workspace}:${store.name}`,
      href: request.link(storePath(store)),
    },
    attributes: store.kind === 'dataStore' ? { attribute: attributesOf(layer) } : undefined,
  }
}

function boxOf([minx, miny, maxx, maxy]: readonly (number | undefined)[], crs: string | undefined) {
  if (minx === undefined || miny === undefined || maxx === undefined || maxy === undefined) return undefined
  return { minx, maxx, miny, maxy, crs }
}

function attributesOf({ details: { schema } }: LayerRecord) {
  const fields = schema.geometry === undefined ? schema.attributes : [...schema.attributes, schema.geometry]
  return fields.map(({ name, type }) => ({
    name,
    minOccurs: 0,
    maxOccurs: 1,
    nillable: true,
    binding: toJavaClass(type),
  }))
}
