import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Catalog, VersionedLayer, VersionSummary } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { Importer } from '../../../importer/index.ts'
import type { VersionDifference } from '../../../render/index.ts'
import { media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { ChangeListReply, ChangesQuery, streamed } from '../../listed-changes.ts'
import { clientSignal } from '../../request-properties.ts'
import type { ComparisonDeps } from './catalog-deps.ts'
import { Changes } from './version-response.ts'
import { oneParams, tags, versionedLayer } from './versions.ts'

const Query = Type.Object({
  ...ChangesQuery.properties,
  against: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Version to compare with; default the next one',
    }),
  ),
})

const Compared = Type.Object({
  version: Type.Integer(),
  against: Type.Integer(),
  changes: Type.Object({
    ...Changes.properties,
    matchedBy: Type.Array(Type.String(), {
      description: 'Columns by which rows were matched; empty if feature ids or complete rows were compared',
    }),
  }),
  rows: ChangeListReply,
})

export const listVersionChanges = operation({
  summary: 'Compare two versions of a layer',
  description:
    'Compares two versions of a layer. Counts all changes and lists the first 100,000. Rows are matched by feature ids if the table kept them, otherwise by the keys of the import that loaded them, otherwise as complete rows; `changed` is null then. GeoJSON has longitude and latitude; CSV has the coordinates of the layer.',
  tags,
  params: oneParams,
  query: Query,
  answers: {
    200: media('Get the changes, removed rows first', {
      'application/json': Compared,
      'application/geo+json': ChangeListReply,
      'text/csv': Type.String(),
    }),
  },
  handle: async (deps: ComparisonDeps, request, reply) => {
    const of = await versionedLayer(deps.catalog, request)
    const { version } = request.params
    const { against = await nextVersion(deps.catalog, of, version) } = request.query
    const keys = await keysOf(deps.imports, deps.catalog, of, Math.max(version, against))
    const signal = clientSignal(reply)
    const found = await deps.versionChanges.between(of, { before: version, after: against, keys }, signal)
    const { format, limit = Number.MAX_SAFE_INTEGER, offset = 0 } = request.query
    const type = mediaType(format, request.headers.accept)
    const options = { format: type === csv ? 'csv' : 'geojson', limit, offset } as const
    const rows = await streamed(deps.sides.changes(found, options, signal))
    return reply
      .header('vary', 'accept')
      .header('cache-control', 'no-store')
      .header('content-type', type === csv ? `${csv}; charset=utf-8` : type)
      .send(type === json ? withCounts({ version, against }, found, rows) : rows)
  },
})

const [csv, geoJson, json] = ['text/csv', 'application/geo+json', 'application/json']

function mediaType(format: string | undefined, accept = ''): string {
  const requested = format ?? accept
  if (/csv/i.test(requested)) return csv
  return /geo\+?json/i.test(requested) ? geoJson : json
}

function withCounts(
  versions: { version: number; against: number },
  { counts, matchedBy }: VersionDifference,
  rows: Readable,
): Readable {
  const head = JSON.stringify({ ...versions, changes: { ...counts, matchedBy } })
  async function* whole(): AsyncGenerator<Buffer | string> {
    yield `${head.slice(0, -1)},"rows":`
    yield* rows as AsyncIterable<Buffer>
    yield '}\n'
  }
  return Readable.from(whole(), { objectMode: false })
}

async function nextVersion(catalog: Catalog, of: VersionedLayer, version: number) {
  const later = (await catalog.versions.list(of)).map((one) => one.version).filter((one) => one > version)
  if (later.length > 0) return Math.min(...later)
  await catalog.versions.get(of, version)
  throw invalid('invalid-parameter', `Version ${version} is the latest: give another version in "against"`)
}

/** The keys of the import that the rows of a version came by, where a layer was loaded by it alone. */
async function keysOf(
  imports: Pick<Importer['kept'], 'find' | 'listTasks'>,
  catalog: Catalog,
  of: VersionedLayer,
  number: number,
): Promise<string[]> {
  const versions: VersionSummary[] = await catalog.versions.list(of)
  const { content } = await catalog.versions.get(of, number)
  // A change of the title or the style has the rows of the version before.
  const loaded = versions.find((one) => one.content.id === content.id && one.importId !== undefined)
  if (loaded?.importId === undefined || (await imports.find(loaded.importId)) === undefined) return []
  const tasks = await imports.listTasks(loaded.importId)
  const own = tasks.filter(({ layer }) => layer?.name === of.name)
  return own.length === 1 ? (own[0]?.keys ?? []) : []
}
