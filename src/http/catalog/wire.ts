import { Type } from 'typebox'
import type { LayerRecord, StoreRecord, StyleRecord, Workspace } from '../../catalog/records.ts'
import { isEmptyEnvelope } from '../../geo/envelope.ts'
import { toJavaClass } from '../../transforms/java-class.ts'
import type { FastifyRequest } from '../app-types.ts'
import { toWireParameters } from './connection-parameters.ts'

/** `recurse=true` takes what stands inside along. */
export const RecurseQuery = Type.Object({
  recurse: Type.Optional(Type.Boolean({ description: 'Delete what stands inside as well' })),
})

export const WorkspaceBody = Type.Object({
  workspace: Type.Object({
    name: Type.Optional(Type.String()),
    public: Type.Optional(Type.Boolean({ description: 'Whether anonymous people may read its layers' })),
  }),
})

const storeFields = {
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String({ description: 'GeoPackage or PostGIS' })),
  enabled: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  connectionParameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: '`{"host": "..."}` or `{"entry": [{"@key": "host", "$": "..."}]}`',
    }),
  ),
}

export const StoreBody = Type.Object({ dataStore: Type.Object(storeFields) })
export const CoverageStoreBody = Type.Object({
  coverageStore: Type.Object({
    ...storeFields,
    type: Type.Optional(Type.String({ description: 'GeoTIFF, WorldImage, ...: what the file is' })),
    url: Type.Optional(Type.String({ description: 'The file, as `file:` URL or path' })),
  }),
})

const StyleName = Type.Union([Type.String(), Type.Object({ name: Type.String() })])

export const LayerBody = Type.Object({
  layer: Type.Object({
    name: Type.Optional(Type.String()),
    title: Type.Optional(Type.String({ maxLength: 10_000 })),
    abstract: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    description: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    defaultStyle: Type.Optional(StyleName),
    style: Type.Optional(StyleName),
    public: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('workspace')], {
        description: 'Whether anonymous people may read it; "workspace": as its workspace says',
      }),
    ),
  }),
})

export function workspacePath(name: string): string {
  return `/rest/workspaces/${encodeURIComponent(name)}`
}

export function storePath(store: Pick<StoreRecord, 'workspace' | 'name' | 'kind'>): string {
  const collection = store.kind === 'dataStore' ? 'datastores' : 'coveragestores'
  return `${workspacePath(store.workspace)}/${collection}/${encodeURIComponent(store.name)}`
}

export function layerPath(layer: Pick<LayerRecord, 'workspace' | 'name'>): string {
  return `/rest/layers/${encodeURIComponent(layer.workspace)}:${encodeURIComponent(layer.name)}`
}

export function stylePath(style: Pick<StyleRecord, 'workspace' | 'name'>): string {
  const prefix = style.workspace === undefined ? '/rest' : workspacePath(style.workspace)
  return `${prefix}/styles/${encodeURIComponent(style.name)}`
}

export function toWireWorkspace(request: FastifyRequest, workspace: Workspace) {
  const path = workspacePath(workspace.name)
  return {
    workspace: {
      name: workspace.name,
      isolated: false,
      public: workspace.isPublic,
      href: request.link(path),
      dataStores: request.link(`${path}/datastores`),
      coverageStores: request.link(`${path}/coveragestores`),
      layers: request.link(`${path}/layers`),
      styles: request.link(`${path}/styles`),
      dateCreated: workspace.createdAt,
      dateModified: workspace.updatedAt,
    },
  }
}

export function toWireStore(request: FastifyRequest, store: StoreRecord) {
  const link = storePath(store)
  const { path } = store.parameters
  const isData = store.kind === 'dataStore'
  const wire = {
    name: store.name,
    type: store.type,
    enabled: store.isEnabled,
    ...(store.description === undefined ? {} : { description: store.description }),
    workspace: { name: store.workspace, href: request.link(workspacePath(store.workspace)) },
    ...(isData || path === undefined ? {} : { url: `file:${path}` }),
    connectionParameters: toWireParameters(store),
    _default: store.isDefault,
    dateCreated: store.createdAt,
    dateModified: store.updatedAt,
    href: request.link(link),
    [isData ? 'featureTypes' : 'coverages']: request.link(`${link}/${isData ? 'featuretypes' : 'coverages'}`),
  }
  return { [store.kind]: wire }
}

/** A layer with what its style's name stands for: the style of its workspace, else the global one. */
export function toWireLayer(
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
      ...(details.abstract === undefined ? {} : { abstract: details.abstract }),
      ...(details.description === undefined ? {} : { description: details.description }),
      defaultStyle: {
        name: details.style,
        href: request.link(stylePath({ workspace: style?.workspace, name: details.style })),
      },
      resource: { '@class': isVector ? 'featureType' : 'coverage', name: qualified, href },
      store: {
        '@class': store.kind,
        name: `${store.workspace}:${store.name}`,
        href: request.link(storePath(store)),
      },
      nativeName: layer.nativeName,
      originalName: details.originalName,
      ...(details.srs === undefined ? {} : { srs: details.srs }),
      ...toWireBounds(layer),
      attributes: toWireAttributes(layer),
      version: layer.version,
      ...(layer.isPublic === undefined ? {} : { public: layer.isPublic }),
      ...(details.featureCount === undefined ? {} : { featureCount: details.featureCount }),
      dateCreated: layer.createdAt,
      dateModified: layer.updatedAt,
      href,
    },
  }
}

function toWireBounds({ details: { envelope, srs } }: LayerRecord) {
  if (envelope === undefined || isEmptyEnvelope(envelope)) return {}
  const { minX: minx, minY: miny, maxX: maxx, maxY: maxy } = envelope
  return { bbox: { minx, miny, maxx, maxy, ...(srs === undefined ? {} : { crs: srs }) } }
}

function toWireAttributes({ details: { schema } }: LayerRecord): { name: string; binding: string }[] {
  const fields = schema.geometry === undefined ? schema.attributes : [...schema.attributes, schema.geometry]
  return fields.map(({ name, type }) => ({ name, binding: toJavaClass(type) }))
}
