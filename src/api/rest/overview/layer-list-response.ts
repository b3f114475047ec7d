import { Type } from 'typebox'
import {
  type LayerProblem,
  type LayerSummary,
  layerProblems,
  type SummaryCounts,
  type SummarySet,
  summaryKinds,
} from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { layerPath } from '../catalog/paths.ts'
import type { Use } from './layer-use.ts'

const ListedLayer = Type.Object({
  name: Type.String(),
  workspace: Type.String(),
  title: Type.String(),
  abstract: Type.Optional(Type.String({ description: 'Its first 300 letters' })),
  keywords: Type.Array(Type.String()),
  kind: Type.Enum([...summaryKinds], { description: 'A table has no geometry' }),
  geometryType: Type.Optional(Type.String({ description: 'Of features, as OGC 06-103r4 names it' })),
  rows: Type.Optional(
    Type.Integer({
      description: 'Features, or granules of a mosaic; absent where others have changed them since',
    }),
  ),
  srs: Type.Optional(Type.String({ description: 'Absent if the CRS is unknown or no row has a geometry' })),
  bounds: Type.Optional(
    Type.Array(Type.Number(), {
      description: 'West, south, east and north in degrees; east is beyond 180 across the antimeridian',
    }),
  ),
  version: Type.Integer(),
  dateModified: Type.String(),
  public: Type.Boolean({ description: 'True if anonymous users may read it' }),
  href: Type.String(),
  thumbnail: Type.Optional(Type.String({ description: 'An image; `width` and `height` set its size' })),
  style: Type.Optional(Type.String({ description: 'A whole MapLibre style with its tiles' })),
  problem: Type.Optional(
    Type.Object(
      { code: Type.Enum([...layerProblems]), message: Type.String() },
      { description: 'Up to 30 seconds old; only for callers who are logged in' },
    ),
  ),
  requests: Type.Optional(
    Type.Object(
      { total: Type.Integer(), days: Type.Array(Type.Integer()) },
      {
        description:
          'Requests of the last 30 days (UTC) including today; only for callers who may read metrics',
      },
    ),
  ),
})

const Count = Type.Integer({ minimum: 0 })

export const LayerListReply = Type.Object(
  {
    layers: Type.Array(ListedLayer),
    total: Type.Integer({ description: 'Of all pages' }),
    offset: Type.Integer({ description: 'Number of entries before the first one' }),
    next: Type.Optional(
      Type.String({ description: 'The next page, which begins behind the last layer of this one' }),
    ),
    revision: Type.String({ description: 'Another one after any change of any layer' }),
    counts: Type.Object(
      {
        workspaces: Type.Array(
          Type.Object(
            { name: Type.String(), public: Type.Boolean(), layers: Count },
            { title: 'InWorkspace' },
          ),
        ),
        kinds: Type.Object({ vector: Count, raster: Count, table: Count }),
        public: Count,
        notPublic: Count,
        problems: Type.Optional(Count),
      },
      { description: 'Number of layers by value, if this value replaced the filter of the same kind' },
    ),
  },
  { title: 'LayerPage' },
)

const problemTexts: Record<LayerProblem, string> = {
  'store-away': 'The store that holds its data does not answer',
  'source-gone': 'The table or file no longer exists',
  'source-broken': 'The file was changed and cannot be read',
  'columns-changed': 'Columns of its table were dropped or changed since it was published',
  'no-crs': 'Its coordinate reference system is not known: there is no map of it',
  empty: 'The layer is empty',
}

/** A layer with facts that are not in its card. */
export interface ListedSummary {
  card: LayerSummary
  bounds: number[] | undefined
  problem: LayerProblem | undefined
  use: Use | undefined
}

export function toListedResponse(
  request: FastifyRequest,
  set: SummarySet,
  { card, bounds, problem, use }: ListedSummary,
) {
  const { name, workspace, title, abstract, keywords, kind, geometryType, rows, place, version } = card
  return {
    name,
    workspace,
    title,
    abstract,
    keywords,
    kind,
    geometryType,
    rows,
    srs: place.srs,
    bounds,
    version,
    dateModified: card.changedAt,
    public: set.isPublic(card),
    href: request.link(layerPath(card)),
    ...addressesOfMaps(request, card),
    problem: problem === undefined ? undefined : { code: problem, message: problemTexts[problem] },
    requests: use,
  }
}

/** Returns the addresses of its maps. They contain the version, so that they can be cached. */
function addressesOfMaps(request: FastifyRequest, card: LayerSummary) {
  const { workspace, name, kind, place, version } = card
  if (kind === 'table' || (place.srs === undefined && place.crs === undefined)) return {}
  const base = request.link(`/tiles/${encodeURIComponent(workspace)}:${encodeURIComponent(name)}`)
  return { thumbnail: `${base}/thumbnail.webp?v=${version}`, style: `${base}/style.json?v=${version}` }
}

export function toCountsResponse(set: SummarySet, counts: SummaryCounts, areProblemsListed: boolean) {
  const workspaces = [...counts.workspaces]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, layers]) => ({ name, public: set.openWorkspaces.has(name), layers }))
  const { kinds, notPublic, problems } = counts
  return {
    workspaces,
    kinds,
    public: counts.public,
    notPublic,
    problems: areProblemsListed ? problems : undefined,
  }
}
