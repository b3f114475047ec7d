import { gzipSync } from 'node:zlib'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import { createTileEncoder, tileBuffer, tileExtent } from '../../tiles/encode-tile.ts'
import { getTileMatrixSet, tileEnvelope } from '../../tiles/tile-matrix-sets.ts'
import type { VectorStore } from '../store.ts'
import { findReprojector } from './reprojectors.ts'
import type { MadeTile, TileWish } from './tile-wish.ts'

/** Reads the rows of a tile, transforms and encodes them. */
export async function writeTile(store: VectorStore, wish: TileWish, signal: AbortSignal): Promise<MadeTile> {
  const { table, crs, tile, name } = wish
  const set = getTileMatrixSet(wish.set)
  const { minX, minY, maxX, maxY } = tileEnvelope(set, tile)
  const margin = ((maxX - minX) * tileBuffer) / tileExtent
  const wide = { minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin }
  const back = await findReprojector(set.srs, crs)
  const there = await findReprojector(crs, set.srs)
  try {
    const box = await reprojectEnvelope(back, wide)
    const schema = (await store.findTable(table))?.schema
    if (box === undefined || schema === undefined) return nothing()
    const encoder = createTileEncoder({ name, schema, set, tile })
    const query = { table, bboxes: [box], limit: Number.MAX_SAFE_INTEGER, offset: 0 }
    for await (const { batch, ids } of store.readFeatures(query, signal)) {
      if (batch.geometry === undefined) continue
      const { geometry } = there.isIdentity
        ? { geometry: batch.geometry }
        : await reprojectGeometry(batch.geometry, batch.rowCount, there)
      encoder.add({ batch: { ...batch, geometry }, ids })
    }
    const { bytes, counts } = encoder.finish()
    return { bytes: bytes.length === 0 ? bytes : gzipSync(bytes, { level: 1 }), counts }
  } finally {
    await Promise.all([back.close(), there.close()])
  }
}

function nothing(): MadeTile {
  return { bytes: new Uint8Array(0), counts: { read: 0, drawn: 0, thinned: 0, withoutImage: 0 } }
}
