import type { Static } from 'typebox'
import { Type } from 'typebox'
import type {
  LayerRecord,
  ListedTable,
  Managed,
  StoreRecord,
  TableToPublish,
} from '../../../catalog/index.ts'
import { conflict, invalid } from '../../../core/errors/errors.ts'
import { matchesPatterns } from '../../../core/text/name-pattern.ts'
import { tableKinds } from '../../../stores/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { ManagedField } from './layer-response.ts'
import { Linked, layerPath, WorkspaceParams } from './paths.ts'
import { FeatureTypeList } from './store-response.ts'
import { getStore, requireWholeWorkspace } from './stores.ts'

const tags = ['data stores']
const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

const TableList = Type.Object({
  tables: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name to publish it by: `table`, or `table(column)`' }),
      schema: Type.Union([Type.String(), Type.Null()]),
      kind: Type.Union(tableKinds.map((kind) => Type.Literal(kind))),
      geometry: Type.Union([
        Type.Object({
          column: Type.String(),
          type: Type.String(),
          srs: Type.Union([Type.String(), Type.Null()]),
        }),
        Type.Null(),
      ]),
      key: Type.Union([Type.String(), Type.Null()]),
      rows: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Estimate from the statistics of the database; null without statistics',
      }),
      published: Type.Union([Type.String(), Type.Null()], { description: 'Name of the layer that shows it' }),
      problems: Type.Array(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          sql: Type.Optional(
            Type.String({ description: 'SQL statement that fixes the problem. Terrane never runs it.' }),
          ),
        }),
      ),
    }),
  ),
})

const FeatureType = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name of the layer' })),
  nativeName: Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: 'Name of the table' })),
  title: Type.Optional(Type.String({ maxLength: 10_000 })),
  abstract: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  srs: Type.Optional(
    Type.String({ maxLength: 100, description: 'For a geometry column that declares no CRS' }),
  ),
  managed: Type.Optional(ManagedField),
})

const FeatureTypeBody = Type.Object({
  featureType: Type.Optional(FeatureType),
  featureTypes: Type.Optional(
    Type.Object({ featureType: Type.Array(FeatureType, { minItems: 1, maxItems: 10_000 }) }),
  ),
})

const PublishedType = Type.Object({
  name: Type.String(),
  nativeName: Type.String(),
  title: Type.String(),
  srs: Type.Optional(Type.String()),
  managed: ManagedField,
  href: Type.String(),
})

export const PublishedList = Type.Object({
  published: Type.Array(Linked),
  failed: Type.Array(
    Type.Object({
      table: Type.String({ description: 'Name of the table or raster' }),
      code: Type.String(),
      reason: Type.String(),
    }),
  ),
})

export const listStoreTables = operation({
  summary: 'List the tables of a store with their layers',
  description:
    'Tables, views, materialized views and foreign tables with geometry, key, estimated rows and problems, from the catalogue of the database alone. A table with several geometry columns is listed once for each.',
  tags,
  params: StoreParams,
  answers: { 200: TableList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const store = await getStore(catalog, 'dataStore', request.params)
    const tables = await catalog.tables.list(store)
    return { tables: tables.map((table) => toTableResponse(store, table)) }
  },
})

function toTableResponse({ parameters }: StoreRecord, table: ListedTable) {
  const { name, kind, geometry, key, estimatedRows, published, problems } = table
  return {
    name,
    schema: parameters['path'] === undefined ? (parameters['schema'] ?? 'public') : null,
    kind,
    geometry:
      geometry === undefined
        ? null
        : { column: geometry.column, type: geometry.type, srs: geometry.srs ?? null },
    key: key ?? null,
    rows: estimatedRows ?? null,
    published: published ?? null,
    problems,
  }
}

const lists = ['configured', 'available', 'available_with_geom', 'all'] as const

export const listFeatureTypes = operation({
  summary: 'Layers of a store, or names of its tables',
  description:
    'Without `list`, or with `configured`, the layers that read from the store, with links. `available` lists the names of tables without a layer, `available_with_geom` those of them with a geometry, `all` both.',
  tags,
  params: StoreParams,
  query: Type.Object({
    list: Type.Optional(Type.Enum([...lists], { description: 'Names of tables instead of layers' })),
  }),
  answers: {
    200: Type.Union([
      FeatureTypeList,
      Type.Object({ list: Type.Object({ string: Type.Array(Type.String()) }) }),
    ]),
  },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const store = await getStore(catalog, 'dataStore', request.params)
    const { list = 'configured' } = request.query
    if (list === 'configured') {
      const layers = (await request.rights()).readable(await catalog.layers.list({ storeId: store.id }))
      const items = layers.map((layer) => ({ name: layer.name, href: request.link(layerPath(layer)) }))
      return { featureTypes: { featureType: items } }
    }
    await requireWholeWorkspace(request, store)
    const tables = (await catalog.tables.list(store)).filter(
      ({ published, geometry }) =>
        (list === 'all' || published === undefined) &&
        (list !== 'available_with_geom' || geometry !== undefined),
    )
    return { list: { string: tables.map(({ name }) => name) } }
  },
})

export const createFeatureType = operation({
  summary: 'Publish tables of a store in place',
  description:
    'Publishes a table or view as a layer without a copy. Terrane never alters the table unless `managed` allows it. `featureTypes` publishes several; the response then lists the layers, and the tables that could not be published with the reason.',
  tags,
  idempotent: true,
  params: StoreParams,
  body: FeatureTypeBody,
  answers: { 201: Type.Union([Type.Object({ featureType: PublishedType }), PublishedList]) },
  handle: async ({ catalog }: CatalogDeps, request, reply) => {
    const store = await getStore(catalog, 'dataStore', request.params)
    const { featureType, featureTypes } = request.body
    if (featureTypes !== undefined) {
      const requested = featureTypes.featureType.map(toPublish)
      const { published, failed } = await catalog.tables.publishSeveral(store, requested)
      return reply.code(201).send({ published: published.map((layer) => linked(request, layer)), failed })
    }
    if (featureType === undefined)
      throw invalid('invalid-body', 'The body needs "featureType" with the "nativeName" of a table')
    const layer = await catalog.tables.publish(store, toPublish(featureType))
    return reply
      .code(201)
      .header('location', request.link(layerPath(layer)))
      .send({ featureType: toFeatureType(request, layer) })
  },
})

/** As in GeoServer, a feature type without `nativeName` has the name of its table. */
function toPublish({ name, nativeName = name, ...texts }: Static<typeof FeatureType>): TableToPublish {
  if (nativeName === undefined)
    throw invalid('invalid-body', 'A feature type needs "nativeName": the name of a table of the store')
  return { ...texts, nativeName, name }
}

/** Returns name and address of a layer. */
export function linked(request: FastifyRequest, layer: LayerRecord): { name: string; href: string } {
  return { name: layer.name, href: request.link(layerPath(layer)) }
}

function toFeatureType(request: FastifyRequest, layer: LayerRecord) {
  const { title, srs, inPlace } = layer.details
  const managed: Managed = inPlace?.managed ?? false
  return { ...linked(request, layer), nativeName: layer.nativeName, title, srs, managed }
}

export const Patterns = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 1000 })

export const publishTables = operation({
  summary: 'Publish all or matching tables of a store in place',
  description:
    'Publishes the tables that no layer shows and whose names match one of `include` and none of `exclude` (`*` is any text, `?` any character).',
  tags,
  params: StoreParams,
  body: Type.Object({
    publish: Type.Object({
      include: Type.Optional(Patterns),
      exclude: Type.Optional(Patterns),
      managed: Type.Optional(ManagedField),
    }),
  }),
  answers: { 200: PublishedList },
  handle: async ({ catalog }: CatalogDeps, request) => {
    const store = await getStore(catalog, 'dataStore', request.params)
    const { include = [], exclude = [], managed } = request.body.publish
    const { published, failed } = await catalog.tables.publishAll(store, {
      managed,
      isSelected: ({ table }) => matchesPatterns(table, { include, exclude }),
    })
    if (published.length === 0 && failed.length === 0)
      throw conflict(
        'nothing-to-publish',
        `Store "${store.name}" has no unpublished table with a matching name`,
      )
    return { published: published.map((layer) => linked(request, layer)), failed }
  },
})
