import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { OwsFailure } from '../ows-failure.ts'

/** A request of the service as it came. */
export interface WmtsRequest {
  request: FastifyRequest
  reply: FastifyReply
  workspace: string | undefined
  /** Path at which the client found the service. */
  servicePath: string
}

/** A tile as a request names it, by key and value or by a path. */
export interface NamedTile {
  layer: string
  style: string | undefined
  matrixSet: string
  matrix: string
  row: string
  column: string
}

/** Formats of tiles. */
export type TileFormat = 'png' | 'jpeg' | 'mvt'

const formats = new Map<string, TileFormat>([
  ['image/png', 'png'],
  ['image/png8', 'png'],
  ['png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['jpg', 'jpeg'],
  ['application/vnd.mapbox-vector-tile', 'mvt'],
  ['application/x-protobuf;type=mapbox-vector', 'mvt'],
  ['mvt', 'mvt'],
  ['pbf', 'mvt'],
])

/** Throws `OwsFailure`. */
export function readTileFormat(text: string): TileFormat {
  const found = formats.get(text.toLowerCase().replace(/\s/g, ''))
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `FORMAT "${text.slice(0, 60)}" is none of image/png, image/jpeg and application/vnd.mapbox-vector-tile`,
    'Format',
  )
}
