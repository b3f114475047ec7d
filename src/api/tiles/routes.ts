import { endpoint } from '../endpoint.ts'
import { getTileJson } from './tile-json.ts'
import { getTile } from './tiles.ts'

/** `/tiles`. */
export const tileEndpoints = [
  endpoint('GET', '/tiles/:layer', 'public', 'OWS:TMS', { getTileJson }),
  endpoint('GET', '/tiles/:layer/:z/:x/:y.mvt', 'public', 'OWS:TMS', { getTile }),
]
