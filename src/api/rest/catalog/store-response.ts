import type { Static } from 'typebox'
import { Type } from 'typebox'
import {
  hiddenSecret,
  managedKinds,
  type Discovery as StoredDiscovery,
  type StoreKind,
  type StoreRecord,
} from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { StoreParameters } from '../../../stores/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { Linked, storePath, workspacePath } from './paths.ts'

const maxParameters = 100

const Discovery = Type.Object(
  {
    include: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 1000,
        description: 'Names of tables, with `*` for any text and `?` for any character; default: all',
      }),
    ),
    exclude: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 1000 })),
    naming: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Pattern for layer names; `{table}` is replaced by the name of the table',
      }),
    ),
    managed: Type.Optional(
      Type.Union(
        managedKinds.map((kind) => Type.Literal(kind)),
        { description: 'Allowed changes of the tables; default `false`' },
      ),
    ),
  },
  { additionalProperties: false },
)

/** Returns a discovery with its defaults; null ends it. */
export function readDiscovery(
  body: Static<typeof Discovery> | null | undefined,
): StoredDiscovery | null | undefined {
  if (body === undefined || body === null) return body
  const { include = [], exclude = [], naming = '{table}', managed = false } = body
  return { include, exclude, naming, managed }
}

const storeFields = {
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String({ description: 'GeoPackage or PostGIS' })),
  enabled: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  versions: Type.Optional(Type.Boolean({ description: 'True if versions of its layers are kept' })),
  discovery: Type.Optional(
    Type.Union([Discovery, Type.Null()], {
      description:
        'Tables of the store to publish in place automatically, also future ones; null switches this off',
    }),
  ),
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
    type: Type.Optional(Type.String({ description: 'Type of the file: GeoTIFF, WorldImage, ...' })),
    url: Type.Optional(Type.String({ description: 'The file, as `file:` URL or path' })),
  }),
})

/** Connection parameters in responses; secrets read `********`. */
export const WireParameters = Type.Object({
  entry: Type.Array(Type.Object({ '@key': Type.String(), $: Type.String() })),
})

const shownFields = {
  name: Type.String(),
  type: Type.String(),
  enabled: Type.Boolean(),
  description: Type.Optional(Type.String()),
  workspace: Linked,
  connectionParameters: WireParameters,
  versions: Type.Optional(
    Type.Literal(false, { description: 'False if versions of its layers are not kept' }),
  ),
  _default: Type.Boolean({ description: 'True for the default store of the workspace' }),
  dateCreated: Type.String(),
  dateModified: Type.String(),
  href: Type.String(),
}

export const DataStoreReply = Type.Object({
  dataStore: Type.Object({
    ...shownFields,
    featureTypes: Type.String({ description: 'URL of its layers' }),
    discovery: Type.Optional(Discovery),
  }),
})
export const CoverageStoreReply = Type.Object({
  coverageStore: Type.Object({
    ...shownFields,
    url: Type.Optional(Type.String({ description: 'Its file; a mosaic has none' })),
    coverages: Type.String({ description: 'URL of its layers' }),
    discovery: Type.Optional(Discovery),
  }),
})

export const DataStoreList = Type.Object({ dataStores: Type.Object({ dataStore: Type.Array(Linked) }) })
export const CoverageStoreList = Type.Object({
  coverageStores: Type.Object({ coverageStore: Type.Array(Linked) }),
})
export const FeatureTypeList = Type.Object({ featureTypes: Type.Object({ featureType: Type.Array(Linked) }) })
export const CoverageList = Type.Object({ coverages: Type.Object({ coverage: Type.Array(Linked) }) })

/** Returns parameters under the names that clients use; secrets read `********`. */
export function toParametersResponse(store: Pick<StoreRecord, 'parameters' | 'secretNames'>): {
  entry: { '@key': string; $: string }[]
} {
  const shown = Object.entries(store.parameters)
  const hidden = store.secretNames.map((name): [string, string] => [name, hiddenSecret])
  return { entry: [...shown, ...hidden].map(([key, value]) => ({ '@key': key, $: value })) }
}

/** Parameters from either form, `{"host": "..."}` or `{"entry": [{"@key": "host", "$": "..."}]}`. */
export function readParametersBody(wire: Record<string, unknown> | undefined): StoreParameters {
  const entries = wire === undefined ? [] : 'entry' in wire ? listEntries(wire.entry) : Object.entries(wire)
  if (entries.length > maxParameters)
    throw invalid('invalid-parameters', `There are more than ${maxParameters} connection parameters`)
  return Object.fromEntries(entries.map(([key, value]) => [key, parameterText(key, value)]))
}

function listEntries(entry: unknown): [string, unknown][] {
  return (Array.isArray(entry) ? entry : [entry]).map((one: unknown) => {
    const { '@key': key, $: value } = (typeof one === 'object' && one !== null ? one : {}) as Record<
      string,
      unknown
    >
    if (typeof key !== 'string')
      throw invalid(
        'invalid-parameters',
        'A connection parameter needs the form {"@key": "host", "$": "localhost"}',
      )
    return [key, value ?? '']
  })
}

function parameterText(key: string, value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (isScalar && String(value).length <= 10_000) return String(value)
  throw invalid('invalid-parameters', `Connection parameter "${key}" must be a text, a number or a flag`)
}

const contents = {
  dataStore: { name: 'featureTypes', path: 'featuretypes' },
  coverageStore: { name: 'coverages', path: 'coverages' },
} as const satisfies Record<StoreKind, { name: string; path: string }>

export function toStoreResponse(request: FastifyRequest, store: StoreRecord) {
  const link = storePath(store)
  const { path } = store.parameters
  const isData = store.kind === 'dataStore'
  const { name, path: contentsPath } = contents[store.kind]
  const wire = {
    name: store.name,
    type: store.type,
    enabled: store.isEnabled,
    description: store.description,
    workspace: { name: store.workspace, href: request.link(workspacePath(store.workspace)) },
    url: isData || path === undefined ? undefined : `file:${path}`,
    connectionParameters: toParametersResponse(store),
    versions: store.keepsVersions ? undefined : false,
    discovery: store.discovery,
    _default: store.isDefault,
    dateCreated: store.createdAt,
    dateModified: store.updatedAt,
    href: request.link(link),
    [name]: request.link(`${link}/${contentsPath}`),
  }
  return { [store.kind]: wire }
}
