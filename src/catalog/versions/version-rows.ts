import type { Queryable } from '../../core/db/connection.ts'
import type { ChangeCounts } from '../../stores/index.ts'
import type { StyleFormat } from '../../styles/index.ts'
import type { LayerDetails, VersionCause } from '../records.ts'
import type { ContentRecord } from './contents.ts'
import { toContent } from './contents.ts'

/** Description of a layer at one version, and the location of its contents. */
export interface VersionRecord {
  layerId: number
  version: number
  workspace: string
  name: string
  createdAt: string
  user?: string
  cause: VersionCause
  importId?: number
  mode?: string
  changes?: ChangeCounts
  /** Number of rows of the layer, if known. */
  rows?: number
  columnsChanged: string[]
  details: LayerDetails
  storeId: number
  nativeName: string
  isPublic: boolean | undefined
  /** Digest of its style; absent if there was none of that name. */
  styleDigest?: string
  isPinned: boolean
  content: ContentRecord
}

function joined(db: Queryable) {
  return db
    .selectFrom('layer_versions as v')
    .innerJoin('layer_contents as c', 'c.id', 'v.content_id')
    .selectAll('v')
    .select([
      'c.id',
      'c.table_key',
      'c.form',
      'c.kept',
      'c.reason',
      'c.size_bytes',
      'c.after_id',
      'c.ended_at',
    ])
    .select('c.store_id as content_store')
}

type Row = Awaited<ReturnType<ReturnType<typeof joined>['execute']>>[number]

function toVersion(row: Row): VersionRecord {
  return {
    layerId: Number(row.layer_id),
    version: Number(row.version),
    workspace: row.workspace,
    name: row.name,
    createdAt: row.created_at,
    cause: row.cause as VersionCause,
    user: row.user_name ?? undefined,
    importId: row.import_id === null ? undefined : Number(row.import_id),
    mode: row.mode ?? undefined,
    changes: row.changes === null ? undefined : (JSON.parse(row.changes) as ChangeCounts),
    rows: row.row_count === null ? undefined : Number(row.row_count),
    columnsChanged: JSON.parse(row.columns_changed) as string[],
    details: JSON.parse(row.document) as LayerDetails,
    storeId: Number(row.store_id),
    nativeName: row.native_name,
    isPublic: row.is_public === null ? undefined : row.is_public === 1,
    styleDigest: row.style_digest ?? undefined,
    isPinned: row.is_pinned === 1,
    content: toContent({ ...row, store_id: row.content_store }),
  }
}

/** Lists the versions of a layer, latest first. */
export async function listVersions(db: Queryable, layerId: number): Promise<VersionRecord[]> {
  const rows = await joined(db).where('v.layer_id', '=', layerId).orderBy('v.version', 'desc').execute()
  return rows.map(toVersion)
}

export async function findVersion(
  db: Queryable,
  layerId: number,
  version: number,
): Promise<VersionRecord | undefined> {
  const row = await joined(db)
    .where('v.layer_id', '=', layerId)
    .where('v.version', '=', version)
    .executeTakeFirst()
  return row === undefined ? undefined : toVersion(row)
}

/** Returns the id of the last deleted layer of a name of which versions are left. */
export async function findDeletedLayer(
  db: Queryable,
  workspace: string,
  name: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('layer_versions as v')
    .leftJoin('layers as l', 'l.id', 'v.layer_id')
    .select('v.layer_id')
    .where('v.workspace', '=', workspace)
    .where('v.name', '=', name)
    .where('l.id', 'is', null)
    .orderBy('v.version', 'desc')
    .executeTakeFirst()
  return row === undefined ? undefined : Number(row.layer_id)
}

/** Lists layers whose present version has no record, by cause: those from before versions were recorded. */
export async function listUnannounced(db: Queryable): Promise<Map<VersionCause, number[]>> {
  const rows = await db
    .selectFrom('layers as l')
    .leftJoin('layer_versions as v', (join) =>
      join.onRef('v.layer_id', '=', 'l.id').onRef('v.version', '=', 'l.version'),
    )
    .select(['l.id', 'l.version_cause'])
    .where('v.layer_id', 'is', null)
    .execute()
  const causes = Map.groupBy(rows, (row) => row.version_cause as VersionCause)
  return new Map([...causes].map(([cause, layers]) => [cause, layers.map(({ id }) => Number(id))]))
}

export async function pinVersion(
  db: Queryable,
  { layerId, version }: Pick<VersionRecord, 'layerId' | 'version'>,
  isPinned: boolean,
): Promise<void> {
  await db
    .updateTable('layer_versions')
    .set({ is_pinned: isPinned ? 1 : 0 })
    .where('layer_id', '=', layerId)
    .where('version', '=', version)
    .execute()
}

export async function deleteVersion(
  db: Queryable,
  { layerId, version }: Pick<VersionRecord, 'layerId' | 'version'>,
): Promise<void> {
  await db
    .deleteFrom('layer_versions')
    .where('layer_id', '=', layerId)
    .where('version', '=', version)
    .execute()
}

/** Returns the style of a version. */
export async function findRetainedStyle(
  db: Queryable,
  digest: string,
): Promise<{ format: StyleFormat; document: string } | undefined> {
  const row = await db
    .selectFrom('kept_styles')
    .select(['format', 'document'])
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row === undefined ? undefined : { format: row.format as StyleFormat, document: row.document }
}

/** Returns the last version number of a layer. */
export async function latestVersionOf(db: Queryable, layerId: number): Promise<number> {
  const row = await db
    .selectFrom('layer_versions')
    .select('version')
    .where('layer_id', '=', layerId)
    .orderBy('version', 'desc')
    .executeTakeFirst()
  return Number(row?.version ?? 0)
}
