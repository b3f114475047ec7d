import { Type } from 'typebox'
import {
  type LayerRecord,
  managedKinds,
  type StoreRecord,
  type StyleRecord,
  storeKinds,
} from '../../../catalog/index.ts'
import { isEmptyEnvelope } from '../../../geo/envelope.ts'
import { toJavaClass } from '../../../transforms/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { CopiesLiveSeconds } from '../../caching.ts'
import { Linked, layerPath, storePath, stylePath, workspacePath } from './paths.ts'

export const ManagedField = Type.Union(
  managedKinds.map((kind) => Type.Literal(kind)),
  {
    description:
      'Allowed changes of a table published in place: `false` none, `edit` edits of single features, `load` also imports and restores',
  },
)

const StyleName = Type.Union([Type.String(), Type.Object({ name: Type.String() })])

const Translations = Type.Record(
  Type.String({ pattern: '^[a-z]{3}$' }),
  Type.Object(
    {
      title: Type.Optional(Type.String({ maxLength: 10_000 })),
      abstract: Type.Optional(Type.String({ maxLength: 1_000_000 })),
      keywords: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 })),
    },
    { additionalProperties: false },
  ),
  {
    maxProperties: 50,
    description:
      'Texts in other languages by codes of ISO 639-2 such as `ger`, in place of those that it has',
  },
)

export const LayerBody = Type.Object({
  layer: Type.Object({
    name: Type.Optional(Type.String()),
    title: Type.Optional(Type.String({ maxLength: 10_000 })),
    abstract: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    description: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    keywords: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 100,
        description: 'Keywords; replaces the present ones',
      }),
    ),
    attribution: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Attribution to show with the data; plain text' }),
    ),
    licence: Type.Optional(Type.String({ maxLength: 10_000 })),
    contact: Type.Optional(Type.String({ maxLength: 10_000 })),
    owner: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Department or person responsible; usage is counted by owner',
      }),
    ),
    citation: Type.Optional(
      Type.String({ maxLength: 10_000, description: 'How to cite the data; plain text' }),
    ),
    doi: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Digital object identifier of the data, as `10.1234/trees`, `doi:10.1234/trees` or `https://doi.org/10.1234/trees`',
      }),
    ),
    translations: Type.Optional(Translations),
    defaultStyle: Type.Optional(StyleName),
    style: Type.Optional(StyleName),
    styles: Type.Optional(
      Type.Array(StyleName, {
        maxItems: 50,
        description:
          'Additional styles of the layer in services; replaces the present list. Everyone who may read the layer may use them',
      }),
    ),
    managed: Type.Optional(ManagedField),
    altered: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 0,
        description: 'An empty list discards the recorded column changes of a table published in place',
      }),
    ),
    public: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('workspace')], {
        description: 'True if anonymous users may read it; "workspace" uses the setting of the workspace',
      }),
    ),
  }),
})

export const LayerList = Type.Object({ layers: Type.Object({ layer: Type.Array(Linked) }) })

const Bounds = Type.Object({
  minx: Type.Number(),
  miny: Type.Number(),
  maxx: Type.Number(),
  maxy: Type.Number(),
  crs: Type.Optional(Type.String()),
})

export const LayerReply = Type.Object({
  layer: Type.Object({
    name: Type.String(),
    workspace: Linked,
    type: Type.Union([Type.Literal('VECTOR'), Type.Literal('RASTER')]),
    title: Type.String(),
    abstract: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    keywords: Type.Optional(Type.Array(Type.String())),
    attribution: Type.Optional(Type.String()),
    licence: Type.Optional(Type.String()),
    contact: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String()),
    citation: Type.Optional(Type.String()),
    doi: Type.Optional(Type.String({ description: 'Without prefix or address, such as `10.1234/trees`' })),
    translations: Type.Optional(Translations),
    defaultStyle: Linked,
    styles: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
    resource: Type.Object({
      '@class': Type.Union([Type.Literal('featureType'), Type.Literal('coverage')]),
      name: Type.String(),
      href: Type.String(),
    }),
    store: Type.Object({
      '@class': Type.Union(storeKinds.map((kind) => Type.Literal(kind))),
      name: Type.String(),
      href: Type.String(),
    }),
    nativeName: Type.String({ description: 'Its table, or its name within the store' }),
    originalName: Type.String({ description: 'Its name where the data came from' }),
    srs: Type.Optional(Type.String({ description: 'Absent if the CRS is unknown or no row has a geometry' })),
    bbox: Type.Optional(Bounds),
    attributes: Type.Array(Type.Object({ name: Type.String(), binding: Type.String() })),
    version: Type.Integer({ description: 'Increases with every change of its data, style or public access' }),
    public: Type.Optional(Type.Boolean({ description: 'Absent if the setting of the workspace applies' })),
    managed: Type.Optional(ManagedField),
    altered: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Columns of a table published in place that were dropped or changed since',
      }),
    ),
    fault: Type.Optional(
      Type.String({
        description: 'Reason why a raster published in place cannot be read after a change of its file',
      }),
    ),
    copiesLiveSeconds: CopiesLiveSeconds,
    featureCount: Type.Optional(Type.Integer({ description: 'Features, or granules of a mosaic' })),
    dateCreated: Type.String(),
    dateModified: Type.String(),
    href: Type.String(),
  }),
})

/**
 * Returns the response for a layer; its style name refers to a style of the workspace, otherwise to a global
 * one.
 */
export function toLayerResponse(
  request: FastifyRequest,
  layer: LayerRecord,
  store: StoreRecord,
  style?: StyleRecord,
) {
  const { details } = layer
  const href = request.link(layerPath(layer))
  const qualified = `${layer.workspace}:${layer.name}`
  const isVector = details.kind === 'vector'
  return {
    layer: {
      name: layer.name,
      workspace: { name: layer.workspace, href: request.link(workspacePath(layer.workspace)) },
      type: isVector ? 'VECTOR' : 'RASTER',
      title: details.title,
      abstract: details.abstract,
      description: details.description,
      keywords: details.keywords,
      attribution: details.attribution,
      licence: details.licence,
      contact: details.contact,
      owner: details.owner,
      citation: details.citation,
      doi: details.doi,
      translations: details.translations,
      defaultStyle: {
        name: details.style,
        href: request.link(stylePath({ workspace: style?.workspace, name: details.style })),
      },
      styles: details.styles?.map((name) => ({ name })),
      resource: { '@class': isVector ? 'featureType' : 'coverage', name: qualified, href },
      store: {
        '@class': store.kind,
        name: `${store.workspace}:${store.name}`,
        href: request.link(storePath(store)),
      },
      nativeName: layer.nativeName,
      originalName: details.originalName,
      srs: details.srs,
      ...toBoundsResponse(layer),
      attributes: toAttributesResponse(layer),
      version: layer.version,
      public: layer.isPublic,
      managed: details.inPlace?.managed,
      altered: details.inPlace?.altered,
      fault: details.inPlace?.fault,
      featureCount: details.featureCount,
      dateCreated: layer.createdAt,
      dateModified: layer.updatedAt,
      href,
    },
  }
}

function toBoundsResponse({ details: { envelope, srs } }: LayerRecord) {
  if (envelope === undefined || isEmptyEnvelope(envelope)) return {}
  const { minX: minx, minY: miny, maxX: maxx, maxY: maxy } = envelope
  return { bbox: { minx, miny, maxx, maxy, crs: srs } }
}

function toAttributesResponse({ details: { schema } }: LayerRecord): { name: string; binding: string }[] {
  const fields = schema.geometry === undefined ? schema.attributes : [...schema.attributes, schema.geometry]
  return fields.map(({ name, type }) => ({ name, binding: toJavaClass(type) }))
}
