import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { LayerRecord, ListedRaster, RasterToPublish } from '../../../catalog/index.ts'
import { conflict, invalid } from '../../../core/errors/errors.ts'
import { matchesPatterns } from '../../../core/text/name-pattern.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { layerPath, WorkspaceParams } from './paths.ts'
import { linked, Patterns, PublishedList } from './published-tables.ts'
import { CoverageList } from './store-response.ts'
import { getStore, requireWholeWorkspace } from './stores.ts'

const tags = ['coverage stores']
const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

const RasterList = Type.Object({
  rasters: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name to publish it by: the path below the folder of the store' }),
      format: Type.Union([Type.String(), Type.Null()]),
      sizeBytes: Type.Union([Type.Integer(), Type.Null()], { description: 'Size with its sidecar files' }),
      width: Type.Union([Type.Integer(), Type.Null()]),
      height: Type.Union([Type.Integer(), Type.Null()]),
      bands: Type.Array(Type.Object({ dataType: Type.String() })),
      srs: Type.Union([Type.String(), Type.Null()]),
      published: Type.Union([Type.String(), Type.Null()], { description: 'Name of the layer that shows it' }),
      problems: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
    }),
  ),
})

const Coverage = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name of the layer' })),
  nativeName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4000, description: 'Path of the raster below the folder' }),
  ),
  nativeCoverageName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4000, description: 'Alias with a GeoServer name' }),
  ),
  title: Type.Optional(Type.String({ maxLength: 10_000 })),
  abstract: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  srs: Type.Optional(Type.String({ maxLength: 100, description: 'For a raster that declares no CRS' })),
})

const CoverageBody = Type.Object({
  coverage: Type.Optional(Coverage),
  coverages: Type.Optional(
    Type.Object({ coverage: Type.Array(Coverage, { minItems: 1, maxItems: 10_000 }) }),
  ),
})

const PublishedCoverage = Type.Object({
  name: Type.String(),
  nativeName: Type.String(),
  title: Type.String(),
  srs: Type.Optional(Type.String()),
  href: Type.String(),
})

export const listStoreRasters = operation({
  summary: 'List the rasters of a store with their layers',
  description:
    'The raster files in the folder of the store and its folders, or its one file, with size, bands and CRS. Each list describes at most 200 files that were not read before; the others have the problem `not-read` until the next list.',
  tags,
  params: StoreParams,
  answers: { 200: RasterList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const store = await getStore(catalog, 'coverageStore', request.params)
    return { rasters: (await catalog.rasters.list(store)).map(toRasterResponse) }
  },
})

function toRasterResponse({
  name,
  format,
  sizeBytes,
  description,
  published,
  problems,
}: ListedRaster): Static<typeof RasterList>['rasters'][number] {
  const { width, height, bands = [], crs } = description?.raster ?? {}
  return {
    name,
    format: format ?? null,
    sizeBytes: sizeBytes ?? null,
    width: width ?? null,
    height: height ?? null,
    bands: bands.map(({ dataType }) => ({ dataType })),
    srs: crs?.srs ?? null,
    published: published ?? null,
    problems,
  }
}

const lists = ['configured', 'available', 'all'] as const

export const listCoverages = operation({
  summary: 'Layers of a store, or names of its rasters',
  description:
    'Without `list`, or with `configured`, the layers that show rasters of the store, with links. `available` lists the names of rasters without a layer, `all` all names.',
  tags,
  params: StoreParams,
  query: Type.Object({
    list: Type.Optional(Type.Enum([...lists], { description: 'Names of rasters instead of layers' })),
  }),
  answers: {
    200: Type.Union([
      CoverageList,
      Type.Object({ list: Type.Object({ string: Type.Array(Type.String()) }) }),
    ]),
  },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const store = await getStore(catalog, 'coverageStore', request.params)
    const { list = 'configured' } = request.query
    const layers = await catalog.layers.list({ storeId: store.id })
    if (list === 'configured') {
      const readable = (await request.rights()).readable(layers)
      return { coverages: { coverage: readable.map((layer) => linked(request, layer)) } }
    }
    await requireWholeWorkspace(request, store)
    const shown = new Set(list === 'all' ? [] : layers.map(({ nativeName }) => nativeName))
    const files = await catalog.rasters.listFiles(store)
    return { list: { string: files.flatMap(({ name }) => (shown.has(name) ? [] : [name])) } }
  },
})

export const createCoverage = operation({
  summary: 'Publish rasters of a store in place',
  description:
    'Publishes a raster file as a layer without a copy. Terrane only reads the file. `coverages` publishes several; the response then lists the layers, and the rasters that could not be published with the reason.',
  tags,
  idempotent: true,
  params: StoreParams,
  body: CoverageBody,
  answers: { 201: Type.Union([Type.Object({ coverage: PublishedCoverage }), PublishedList]) },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const store = await getStore(catalog, 'coverageStore', request.params)
    const { coverage, coverages } = request.body
    if (coverages !== undefined) {
      const { published, failed } = await catalog.rasters.publishSeveral(
        store,
        coverages.coverage.map(toPublish),
      )
      return reply.code(201).send({ published: published.map((layer) => linked(request, layer)), failed })
    }
    if (coverage === undefined)
      throw invalid('invalid-body', 'The body needs "coverage" with the "nativeName" of a raster')
    const layer = await catalog.rasters.publish(store, toPublish(coverage))
    return reply
      .code(201)
      .header('location', request.link(layerPath(layer)))
      .send({ coverage: toCoverage(request, layer) })
  },
})

function toPublish({
  nativeCoverageName,
  nativeName = nativeCoverageName,
  ...texts
}: Static<typeof Coverage>): RasterToPublish {
  return { ...texts, nativeName }
}

function toCoverage(request: FastifyRequest, layer: LayerRecord): Static<typeof PublishedCoverage> {
  const { title, srs } = layer.details
  return { ...linked(request, layer), nativeName: layer.nativeName, title, srs }
}

export const publishRasters = operation({
  summary: 'Publish all or matching rasters of a store in place',
  description:
    'Publishes the rasters that no layer shows and whose paths match one of `include` and none of `exclude` (`*` is any text, `?` any character).',
  tags,
  params: StoreParams,
  body: Type.Object({
    publish: Type.Object({ include: Type.Optional(Patterns), exclude: Type.Optional(Patterns) }),
  }),
  answers: { 200: PublishedList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const store = await getStore(catalog, 'coverageStore', request.params)
    const { include = [], exclude = [] } = request.body.publish
    const { published, failed } = await catalog.rasters.publishAll(store, (name) =>
      matchesPatterns(name, { include, exclude }),
    )
    if (published.length === 0 && failed.length === 0)
      throw conflict(
        'nothing-to-publish',
        `Store "${store.name}" has no unpublished raster with a matching name`,
      )
    return { published: published.map((layer) => linked(request, layer)), failed }
  },
})
