import { endpoint } from '../endpoint.ts'
import { getPngTile, getWebpTile } from './picture-tiles.ts'

/** Pictures below `/tiles`. */
export const pictureEndpoints = [
  endpoint('GET', '/tiles/:layer/:z/:x/:y.png', 'public', 'OWS:TMS', { getPngTile }),
  endpoint('GET', '/tiles/:layer/:z/:x/:y.webp', 'public', 'OWS:TMS', { getWebpTile }),
]
