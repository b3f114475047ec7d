import { sql } from 'kysely'
import type { Queryable } from '../../db/connection.ts'
import { findCountedLayers } from '../rows/layer-rows.ts'
import type { LayerCard } from './layer-card.ts'
import { toCard } from './layer-card.ts'

/** Read between two turns of the event loop: whoever else asks does not wait for all documents. */
const layersPerTurn = 100

/** Another one after any change of any layer. */
export async function readDigest(db: Queryable): Promise<string> {
  const { rows } = await sql<Record<'layers' | 'newest' | 'ids' | 'versions', number | string | null>>`
    select count(*) as layers, max(id) as newest, sum(id) as ids, sum(version) as versions from layers`.execute(
    db,
  )
  const [{ layers, newest, ids, versions } = { layers: 0, newest: 0, ids: 0, versions: 0 }] = rows
  return [layers, newest, ids, versions].map(Number).join(' ')
}

/** What `readDigest` says of exactly these layers. */
export function digestOf(cards: Iterable<Pick<LayerCard, 'id' | 'version'>>): string {
  let [count, newest, ids, versions] = [0, 0, 0, 0]
  for (const { id, version } of cards) {
    count += 1
    newest = Math.max(newest, id)
    ids += id
    versions += version
  }
  return [count, newest, ids, versions].join(' ')
}

/** The cards of the layers of these numbers that are there, a few of them in each turn of the event loop. */
export async function readCards(db: Queryable, ids: readonly number[]): Promise<LayerCard[]> {
  const cards: LayerCard[] = []
  for (let at = 0; at < ids.length; at += layersPerTurn) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve))
    const found = await findCountedLayers(db, ids.slice(at, at + layersPerTurn))
    cards.push(...found.map(({ layer, rows }) => toCard(layer, rows)))
  }
  return cards
}
