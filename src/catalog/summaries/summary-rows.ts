import { sql } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import { findCountedLayers } from '../rows/layer-rows.ts'
import type { LayerSummary } from './layer-summary.ts'
import { toSummary } from './layer-summary.ts'

/** Number of layers read per event loop iteration, so that other requests do not wait for all documents. */
const layersPerTurn = 100

/** Returns a digest that differs after any change of any layer. */
export async function readDigest(db: Queryable): Promise<string> {
  const { rows } = await sql<Record<'layers' | 'newest' | 'ids' | 'versions', number | string | null>>`
    select count(*) as layers, max(id) as newest, sum(id) as ids, sum(version) as versions from layers`.execute(
    db,
  )
  const [{ layers, newest, ids, versions } = { layers: 0, newest: 0, ids: 0, versions: 0 }] = rows
  return [layers, newest, ids, versions].map(Number).join(' ')
}

/** Returns what `readDigest` returns for exactly these layers. */
export function digestRow(cards: Iterable<Pick<LayerSummary, 'id' | 'version'>>): string {
  let [count, newest, ids, versions] = [0, 0, 0, 0]
  for (const { id, version } of cards) {
    count += 1
    newest = Math.max(newest, id)
    ids += id
    versions += version
  }
  return [count, newest, ids, versions].join(' ')
}

/** Reads summaries of the existing layers with these ids, a few per event loop iteration. */
export async function readSummaries(db: Queryable, ids: readonly number[]): Promise<LayerSummary[]> {
  const cards: LayerSummary[] = []
  for (let at = 0; at < ids.length; at += layersPerTurn) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve))
    const found = await findCountedLayers(db, ids.slice(at, at + layersPerTurn))
    cards.push(...found.map(({ layer, rows }) => toSummary(layer, rows)))
  }
  return cards
}
