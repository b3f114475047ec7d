import type { Static, TProperties, TUnsafe } from 'typebox'
import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { Bytes, empty, media } from '../../description.ts'
import { endpoint, operation } from '../../endpoint.ts'
import { mvt } from '../../tiles/send-tile.ts'
import { urlToken } from '../../url-token.ts'
import { keyValuesOf } from '../key-values.ts'
import { requireWorkspace } from '../named-layers.ts'
import type { CapabilitiesDeps, FeatureInfoDeps, ServiceTileDeps } from '../ows-deps.ts'
import { getCapabilities } from './capabilities.ts'
import { getFeatureInfo } from './feature-info.ts'
import { getTile } from './get-tile.ts'
import type { NamedTile } from './tile-request.ts'
import { orException } from './wmts.ts'

const Workspace = Type.Object({
  workspace: Type.String({ description: 'Only its layers, by their names without the workspace' }),
})
const styleField = { style: Type.String({ description: "Of the layer's workspace or a global one" }) }
const tileFields = {
  layer: Type.String({ description: 'Workspace and layer, such as `city:trees`' }),
  tileMatrixSet: Type.String(),
  tileMatrix: Type.String(),
  tileRow: Type.String({ description: 'Counted from the north' }),
  tileCol: Type.String({ description: 'Counted from the west; may end in `.png`, `.jpg` or `.mvt`' }),
}
const pointFields = { j: Type.String(), i: Type.String() }
/** Optional parts of a path. */
interface Location {
  isOfWorkspace: boolean
  hasStyle?: boolean
}

/** Union of the path parameters. */
type PathParams = Partial<Record<'workspace' | 'style' | 'i' | 'j', string>> &
  Record<keyof typeof tileFields, string>

function paramsOf({ isOfWorkspace, hasStyle = false }: Location, fields: TProperties): TUnsafe<PathParams> {
  const workspace = isOfWorkspace ? Workspace.properties : {}
  return Type.Unsafe<PathParams>(Type.Object({ ...workspace, ...(hasStyle ? styleField : {}), ...fields }))
}

const RestQuery = Type.Object(
  {
    format: Type.Optional(Type.String({ description: 'Media type' })),
    time: Type.Optional(Type.String({ description: 'Of a mosaic, as at `/tiles`' })),
    ...urlToken,
  },
  { additionalProperties: true },
)

const marks = {
  knowsParameters: true,
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  description:
    'As OGC 07-057r7 says; tile matrix sets have the names of OGC 17-083r4 and those of GeoWebCache. Errors are exception reports.',
}
const answers = {
  200: media('Requested options', {
    'image/png': Bytes,
    'image/jpeg': Bytes,
    [mvt]: Bytes,
    'application/xml': Type.String(),
    'text/plain': Type.String(),
    'text/html': Type.String(),
    'application/json': Type.Unknown(),
    'application/geo+json': Type.Unknown(),
  }),
  204: empty('No features are in the vector tile'),
}
function servicePathOf(workspace: string | undefined): string {
  return workspace === undefined ? '/wmts' : `/${encodeURIComponent(workspace)}/wmts`
}

const getDocument = (place: Location) =>
  operation({
    ...marks,
    summary: 'Capabilities of the Web Map Tile Service',
    params: paramsOf(place, {}),
    query: Type.Object({ ...urlToken }, { additionalProperties: true }),
    answers: { 200: media('The document', { 'application/xml': Type.String() }) },
    handle: (deps: CapabilitiesDeps, request, reply) => {
      const { workspace } = request.params
      const requested = { request, reply, workspace, servicePath: servicePathOf(workspace) }
      return orException(reply, async () => {
        if (workspace !== undefined) await requireWorkspace(deps.catalog, request, workspace)
        return getCapabilities(deps, requested, keyValuesOf(request.originalUrl))
      })
    },
  })

function namedTileOf(params: PathParams): NamedTile & { ending: string | undefined } {
  const { layer, style, tileMatrixSet: matrixSet, tileMatrix: matrix, tileRow: row, tileCol } = params
  const dot = tileCol.indexOf('.')
  const [column, ending] = dot < 0 ? [tileCol, undefined] : [tileCol.slice(0, dot), tileCol.slice(dot + 1)]
  return { layer, style, matrixSet, matrix, row, column, ending }
}

type RestRequest = FastifyRequest<{ Params: PathParams; Querystring: Static<typeof RestQuery> }>

function answerRestTile(deps: ServiceTileDeps, request: RestRequest, reply: FastifyReply): Promise<unknown> {
  const { workspace } = request.params
  const { format, time } = request.query
  const { ending, ...named } = namedTileOf(request.params)
  const requested = { request, reply, workspace, servicePath: servicePathOf(workspace) }
  return orException(reply, () =>
    getTile(deps, requested, named, { format: ending ?? format ?? 'image/png', time }),
  )
}

const getTileOf = (place: Location) =>
  operation({
    ...marks,
    isTile: true,
    summary: 'A tile by its path',
    params: paramsOf(place, tileFields),
    query: RestQuery,
    answers,
    handle: (deps: ServiceTileDeps, request, reply) => answerRestTile(deps, request, reply),
  })

const getInfoOf = (place: Location) =>
  operation({
    ...marks,
    summary: 'Features at a cell of a tile',
    query: RestQuery,
    answers,
    params: paramsOf(place, { ...tileFields, ...pointFields }),
    handle: (deps: FeatureInfoDeps, request, reply) => {
      const { workspace, i = '', j = '' } = request.params
      const { ending, ...named } = namedTileOf(request.params)
      const requested = { request, reply, workspace, servicePath: servicePathOf(workspace) }
      const format = request.query.format ?? (ending === undefined ? 'text/plain' : `text/${ending}`)
      const point = { i, j, format, values: keyValuesOf(request.url) }
      return orException(reply, () => getFeatureInfo(deps, requested, named, point))
    },
  })

const matrix = ':tileMatrixSet/:tileMatrix/:tileRow/:tileCol'

/** Returns the paths of the service below one address, with operation names of their own. */
function below(address: string, name: string) {
  const rest = `${address}/rest/:layer`
  const isOfWorkspace = address.startsWith('/:workspace')
  const styled = { isOfWorkspace, hasStyle: true }
  return [
    endpoint('GET', `${address}/rest/WMTSCapabilities.xml`, 'public', 'OWS:WMTS', {
      [`get${name}RestDocument`]: getDocument({ isOfWorkspace }),
    }),
    endpoint('GET', `${address}/1.0.0/WMTSCapabilities.xml`, 'public', 'OWS:WMTS', {
      [`get${name}Document`]: getDocument({ isOfWorkspace }),
    }),
    endpoint('GET', `${rest}/:style/${matrix}`, 'public', 'OWS:WMTS', {
      [`get${name}Tile`]: getTileOf(styled),
    }),
    endpoint('GET', `${rest}/${matrix}`, 'public', 'OWS:WMTS', {
      [`get${name}PlainTile`]: getTileOf({ isOfWorkspace }),
    }),
    endpoint('GET', `${rest}/:style/${matrix}/:j/:i`, 'public', 'OWS:WMTS', {
      [`get${name}Info`]: getInfoOf(styled),
    }),
  ]
}

/** Paths of WMTS, at our addresses and those of GeoWebCache. */
export const wmtsEndpoints = [
  ...below('/wmts', 'Wmts'),
  ...below('/:workspace/wmts', 'WorkspaceWmts'),
  ...below('/gwc/service/wmts', 'CachedWmts'),
]
