import type { Queryable } from '../../core/db/connection.ts'

/** Data that show whether a layer is unchanged since it was read, without its document. */
export interface LayerFingerprint {
  id: number
  version: number
  seenState: string | undefined
}

interface Row {
  id: number | string
  version: number | string
  seen_state: string | null
}

/** Returns a function that looks up layers with a prepared query, since it runs before every tile. */
export function layerFingerprints(
  db: Queryable,
): (workspace: string, name: string) => Promise<LayerFingerprint | undefined> {
  const query = db
    .selectFrom('layers')
    .select(['layers.id', 'layers.version', 'layers.seen_state'])
    .where('layers.workspace', '=', '')
    .where('layers.name', '=', '')
    .compile()
  return async (workspace, name) => {
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: [workspace, name] })
    const [row] = rows
    if (row === undefined) return undefined
    return { id: Number(row.id), version: Number(row.version), seenState: row.seen_state ?? undefined }
  }
}
