import { createHash } from 'node:crypto'
import { actingUser } from '../../core/concurrency/acting.ts'
import type { Queryable } from '../../core/db/connection.ts'
import { isSameCrs } from '../../geo/crs-same.ts'
import type { Schema } from '../../geo/schema.ts'
import type { ChangeCounts, EditCounts } from '../../stores/index.ts'
import type { LayerDetails, VersionCause } from '../records.ts'
import { presentContent } from './contents.ts'

/** Data recorded with a change of layers. */
export interface VersionNote {
  at: string
  cause: VersionCause
  /** Author of the change, if not the current user. */
  user?: string
  importId?: number
  /** Load mode of the rows. */
  mode?: string
  /** Number of loaded rows. */
  rowsLoaded?: number
  changes?: ChangeCounts
  /**
   * For an edit of features: changes in the numbers of differing features, and since when edits form one
   * version.
   */
  edits?: { counts: EditCounts; since: string }
}

/** Load mode of versions whose rows were edited individually. */
export const editMode = 'EDIT'

const batch = 500

/**
 * Records layers at their present versions; run in the transaction in which the versions were incremented.
 */
export async function recordVersions(
  db: Queryable,
  ids: readonly number[],
  note: VersionNote,
): Promise<void> {
  const styles = new Map<string, Promise<string | null>>()
  for (let from = 0; from < ids.length; from += batch) {
    const layers = await db
      .selectFrom('layers')
      .selectAll()
      .where('id', 'in', ids.slice(from, from + batch))
      .orderBy('id')
      .execute()
    for (const layer of layers) await recordOne(db, layer, note, styles)
  }
}

interface LayerRow {
  id: number
  workspace: string
  name: string
  store_id: number
  native_name: string
  document: string
  is_public: number | null
  version: number
}

async function recordOne(
  db: Queryable,
  layer: LayerRow,
  note: VersionNote,
  styles: Map<string, Promise<string | null>>,
): Promise<void> {
  const { id, workspace, name, store_id, native_name, document, is_public, version } = layer
  const details = JSON.parse(document) as LayerDetails
  const styleKey = `${workspace}\n${details.style}`
  const digest = styles.get(styleKey) ?? keepStyle(db, workspace, details.style)
  styles.set(styleKey, digest)
  const location = { storeId: Number(store_id), table: native_name }
  const before = await findLatest(db, id)
  const { at, cause, importId, mode } = note
  const user = note.user ?? actingUser()
  const rows = details.featureCount ?? rowsAfter(before, note)
  const joined = joinsEdit(before, note, user) ? before : undefined
  const changes = changesOf(note, joined, rows)
  // Consecutive edits form one version, with the last of their numbers.
  if (joined !== undefined) await forgetVersion(db, id, joined)
  await db
    .insertInto('layer_versions')
    .values({
      layer_id: id,
      version,
      workspace,
      name,
      created_at: joined?.created_at ?? at,
      cause,
      user_name: user ?? null,
      import_id: importId ?? null,
      mode: mode ?? null,
      changes: changes === undefined ? null : JSON.stringify(changes),
      row_count: rows ?? null,
      columns_changed: JSON.stringify(before === undefined ? [] : differingColumns(before, details)),
      document,
      store_id,
      native_name,
      is_public,
      style_digest: await digest,
      content_id: await presentContent(db, location, at),
    })
    .onConflict((conflicting) => conflicting.columns(['layer_id', 'version']).doNothing())
    .execute()
}

/** Stores the document of the style that a layer refers to; null if there is none of that name. */
async function keepStyle(db: Queryable, workspace: string, name: string): Promise<string | null> {
  const found = await db
    .selectFrom('styles')
    .select(['format', 'document'])
    .where('name', '=', name)
    .where('workspace', 'in', [workspace, ''])
    .orderBy('workspace', 'desc')
    .executeTakeFirst()
  if (found === undefined) return null
  const { format, document } = found
  const digest = createHash('sha256').update(`${format}\n${document}`).digest('base64url')
  await db
    .insertInto('kept_styles')
    .values({ digest, format, document })
    .onConflict((conflicting) => conflicting.column('digest').doNothing())
    .execute()
  return digest
}

interface Latest {
  version: number
  created_at: string
  document: string
  row_count: number | null
  user_name: string | null
  cause: string
  mode: string | null
  changes: string | null
  is_pinned: number
}

/** True if an edit continues the previous version: of the same user, started recently. */
function joinsEdit(
  before: Latest | undefined,
  { edits }: VersionNote,
  user: string | undefined,
): before is Latest {
  if (edits === undefined || before === undefined || user === undefined) return false
  const { cause, mode, user_name, is_pinned, created_at } = before
  const isEdit = cause === ('edit' satisfies VersionCause) && mode === editMode
  return isEdit && user_name === user && Number(is_pinned) === 0 && created_at > edits.since
}

function changesOf(
  { changes, edits }: VersionNote,
  joined: Latest | undefined,
  rows: number | undefined,
): ChangeCounts | undefined {
  if (edits === undefined) return changes
  const earlier = joined?.changes == null ? undefined : (JSON.parse(joined.changes) as ChangeCounts)
  const added = (earlier?.added ?? 0) + edits.counts.added
  const changed = (earlier?.changed ?? 0) + edits.counts.changed
  const removed = (earlier?.removed ?? 0) + edits.counts.removed
  return { added, changed, removed, same: Math.max(0, (rows ?? 0) - added - changed) }
}

async function forgetVersion(db: Queryable, layerId: number, { version }: Latest): Promise<void> {
  await db
    .deleteFrom('layer_versions')
    .where('layer_id', '=', layerId)
    .where('version', '=', version)
    .execute()
}

/** Returns the previous version as recorded. */
function findLatest(db: Queryable, layerId: number): Promise<Latest | undefined> {
  return db
    .selectFrom('layer_versions')
    .select(['version', 'created_at', 'document', 'row_count'])
    .select(['user_name', 'cause', 'mode', 'changes', 'is_pinned'])
    .where('layer_id', '=', layerId)
    .orderBy('version', 'desc')
    .executeTakeFirst()
}

/** Returns the number of rows of a layer after a change for which only loaded rows were counted. */
function rowsAfter(
  before: Latest | undefined,
  { cause, mode, rowsLoaded, changes, edits }: VersionNote,
): number | undefined {
  const known = rowsOf(before)
  if (edits !== undefined)
    return known === undefined ? undefined : known + edits.counts.added - edits.counts.removed
  if (cause === 'edit' || cause === 'style' || cause === 'delete') return known
  if (cause === 'restore') return rowsLoaded ?? known
  if (cause !== 'import') return undefined
  if (mode === 'CREATE' || mode === 'REPLACE') return rowsLoaded
  if (known === undefined) return undefined
  if (changes !== undefined) return known + changes.added - changes.removed
  return rowsLoaded === undefined ? undefined : known + rowsLoaded
}

function rowsOf(before: Latest | undefined): number | undefined {
  return before?.row_count == null ? undefined : Number(before.row_count)
}

/** Returns names of columns, including the geometry, that were added, removed or changed their type. */
function differingColumns({ document }: Latest, { schema }: LayerDetails): string[] {
  const former = (JSON.parse(document) as LayerDetails).schema
  const before = columnTypes(former)
  const after = columnTypes(schema)
  const [crs, newCrs] = [former.geometry?.crs, schema.geometry?.crs]
  const moved = schema.geometry !== undefined && !isSameCrs(crs, newCrs) ? schema.geometry.name : undefined
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name) || name === moved,
  )
}

function columnTypes({ attributes, geometry }: Schema): Map<string, string> {
  const columns = attributes.map(({ name, type }): [string, string] => [name, type])
  if (geometry === undefined) return new Map(columns)
  return new Map([...columns, [geometry.name, geometry.type]])
}
