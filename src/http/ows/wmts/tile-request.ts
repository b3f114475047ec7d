import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { OwsFailure } from '../ows-failure.ts'

/** A request of the service as it came. */
export interface WmtsRequest {
  request: FastifyRequest
  reply: FastifyReply
  workspace: string | undefined
  /** Where the client has found the service. */
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

const formats = new Map([
  ['image/png', 'png'],
  ['image/png8', 'png'],
  ['png', 'png'],
  ['application/vnd.mapbox-vector-tile', 'mvt'],
  ['application/x-protobuf;type=mapbox-vector', 'mvt'],
  ['mvt', 'mvt'],
  ['pbf', 'mvt'],
] as const)

/** Throws `OwsFailure`. */
export function readTileFormat(text: string): 'png' | 'mvt' {
  const found = new Map<string, 'png' | 'mvt'>(formats).get(text.toLowerCase().replace(/\s/g, ''))
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `FORMAT "${text.slice(0, 60)}" is neither image/png nor application/vnd.mapbox-vector-tile`,
    'Format',
  )
}
