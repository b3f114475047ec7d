import type { Queryable } from '../../core/db/connection.ts'
import { conflict } from '../../core/errors/errors.ts'
import type { Quota, QuotaKind } from '../records.ts'

interface QuotaColumns {
  quota_bytes: number | null
  quota_layers: number | null
  quota_versions: number | null
}

const limitOf = (value: number | null): number | undefined => (value === null ? undefined : Number(value))

export function toQuota({ quota_bytes, quota_layers, quota_versions }: QuotaColumns): Quota {
  return { bytes: limitOf(quota_bytes), layers: limitOf(quota_layers), versions: limitOf(quota_versions) }
}

/** Returns the limits of a workspace; none if the workspace does not exist. */
export async function findQuota(db: Queryable, workspace: string): Promise<Quota> {
  const row = await db
    .selectFrom('workspaces')
    .select(['quota_bytes', 'quota_layers', 'quota_versions'])
    .where('name', '=', workspace)
    .executeTakeFirst()
  return row === undefined ? {} : toQuota(row)
}

export async function saveQuota(db: Queryable, workspace: string, quota: Quota, at: string): Promise<void> {
  const { bytes = null, layers = null, versions = null } = quota
  await db
    .updateTable('workspaces')
    .set({ quota_bytes: bytes, quota_layers: layers, quota_versions: versions, updated_at: at })
    .where('name', '=', workspace)
    .execute()
}

export async function countLayersOf(db: Queryable, workspace: string): Promise<number> {
  const row = await db
    .selectFrom('layers')
    .select((one) => one.fn.countAll<number>().as('total'))
    .where('workspace', '=', workspace)
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/**
 * Returns the number of retained contents of the layers of a workspace, deleted layers included, and the bytes of those
 * outside the files of its stores. A state in a GeoPackage is part of the file.
 */
export async function retainedOf(
  db: Queryable,
  workspace: string,
): Promise<{ total: number; outsideBytes: number }> {
  const versions = db.selectFrom('layer_versions').select('content_id').where('workspace', '=', workspace)
  const rows = await db
    .selectFrom('layer_contents')
    .select(['size_bytes', 'kept'])
    .where('form', '=', 'kept')
    .where('id', 'in', versions)
    .execute()
  let outsideBytes = 0
  for (const { size_bytes, kept } of rows) {
    const isInFile = kept !== null && 'path' in Object(JSON.parse(kept))
    if (!isInFile) outsideBytes += Number(size_bytes ?? 0)
  }
  return { total: rows.length, outsideBytes }
}

const units: Record<QuotaKind, string> = {
  bytes: 'bytes',
  layers: 'layers',
  versions: 'previous versions of layers',
}
const remedies: Record<QuotaKind, string> = {
  bytes: 'Delete layers or previous versions',
  layers: 'Delete layers',
  versions: 'Delete previous versions (DELETE /rest/layers/<layer>/versions/<version>)',
}

/** Returns the message about an exceeded limit, with advice. */
export function quotaText(
  workspace: string,
  kind: QuotaKind,
  { adding, limit, used }: { adding: number; limit: number; used: number },
): string {
  const needed = adding > 0 ? `, and this needs ${adding} more` : ''
  return `Workspace "${workspace}" may have ${limit} ${units[kind]} and has ${used}${needed}. ${remedies[kind]}, or ask an administrator for a larger quota`
}

/**
 * Throws `Failure` (`quota-exceeded`) if the quota of a workspace does not permit another layer. Run under
 * the lock of the workspace.
 */
export async function requireLayerRoom(db: Queryable, workspace: string): Promise<void> {
  const { layers: limit } = await findQuota(db, workspace)
  if (limit === undefined) return
  const used = await countLayersOf(db, workspace)
  if (used >= limit)
    throw conflict('quota-exceeded', quotaText(workspace, 'layers', { adding: 1, limit, used }))
}
