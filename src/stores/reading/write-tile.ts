import { gzipSync } from 'node:zlib'
import type { Envelope } from '../../geo/envelope.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import type { TileEncoder } from '../../tiles/encode-tile.ts'
import { createTileEncoder, tileBuffer, tileExtent } from '../../tiles/encode-tile.ts'
import type { TileMatrixSet } from '../../tiles/tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../../tiles/tile-matrix-sets.ts'
import type { FeaturePage, TileReads, VectorStore } from '../store.ts'
import { tileReadingOf } from '../tile-reading.ts'
import { findReprojector } from './reprojectors.ts'
import type { MadeTile, TileWish } from './tile-wish.ts'

/** Quick, and a tenth larger than the default would make it. */
const gzipLevel = 1

/** Reads the rows of a tile, transforms and encodes them; all of them are of one state of the table. */
export async function writeTile(store: VectorStore, wish: TileWish, signal: AbortSignal): Promise<MadeTile> {
  const set = getTileMatrixSet(wish.set)
  const back = await findReprojector(set.srs, wish.crs)
  const there = await findReprojector(wish.crs, set.srs)
  try {
    const boxes = await boxesOf(set, wish, back)
    if (boxes.length === 0) return nothing()
    return await encode(tileReadingOf(store), { wish, set, boxes, there }, signal)
  } finally {
    await Promise.all([back.close(), there.close()])
  }
}

interface Place {
  wish: TileWish
  set: TileMatrixSet
  /** What the tile covers, in the table's CRS. */
  boxes: Envelope[]
  there: Reprojector
}

async function encode(
  reads: TileReads,
  { wish, set, boxes, there }: Place,
  signal: AbortSignal,
): Promise<MadeTile> {
  const { table, name, tile, attributes } = wish
  const query = { table, boxes, ...(attributes && { attributes }) }
  let encoder: TileEncoder | undefined
  for await (const { batch, ids } of reads.readTile(query, signal)) {
    encoder ??= createTileEncoder({ name, schema: batch.schema, set, tile })
    encoder.add(await reprojected({ batch, ids }, there))
  }
  signal.throwIfAborted()
  if (encoder === undefined) return nothing()
  const { bytes, counts } = encoder.finish()
  return { bytes: bytes.length === 0 ? bytes : gzipSync(bytes, { level: gzipLevel }), counts }
}

async function reprojected(page: FeaturePage, there: Reprojector): Promise<FeaturePage> {
  const { batch, ids } = page
  if (there.isIdentity || batch.geometry === undefined) return page
  const { geometry } = await reprojectGeometry(batch.geometry, batch.rowCount, there)
  return { batch: { ...batch, geometry }, ids }
}

async function boxesOf(set: TileMatrixSet, { tile }: TileWish, back: Reprojector): Promise<Envelope[]> {
  const { minX, minY, maxX, maxY } = tileEnvelope(set, tile)
  const margin = ((maxX - minX) * tileBuffer) / tileExtent
  const wide = { minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin }
  const box = await reprojectEnvelope(back, wide)
  return box === undefined ? [] : [box]
}

function nothing(): MadeTile {
  return { bytes: new Uint8Array(0), counts: { read: 0, drawn: 0, thinned: 0, withoutImage: 0 } }
}
