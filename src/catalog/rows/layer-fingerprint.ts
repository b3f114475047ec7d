import type { Queryable } from '../../core/db/connection.ts'

/** Data that show whether a layer is unchanged since it was read, without its document. */
export interface LayerFingerprint {
  id: number
  version: number
  seenState: string | undefined
  /** True if its workspace is public. */
  isOpen: boolean
}

interface Row {
  id: number | string
  version: number | string
  seen_state: string | null
  is_open: number | null
}

/** Returns a function that looks up layers with a prepared query, since it runs before every tile. */
export function layerFingerprints(
  db: Queryable,
): (workspace: string, name: string) => Promise<LayerFingerprint | undefined> {
  const query = db
    .selectFrom('layers')
    .leftJoin('workspaces', 'workspaces.name', 'layers.workspace')
    .select(['layers.id', 'layers.version', 'layers.seen_state', 'workspaces.is_public as is_open'])
    .where('layers.workspace', '=', '')
    .where('layers.name', '=', '')
    .compile()
  return async (workspace, name) => {
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: [workspace, name] })
    const [row] = rows
    if (row === undefined) return undefined
    return {
      id: Number(row.id),
      version: Number(row.version),
      seenState: row.seen_state ?? undefined,
      isOpen: row.is_open === 1,
    }
  }
}
