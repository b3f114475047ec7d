import { endpoint } from '../endpoint.ts'
import { getPngTile, getWebpTile } from './picture-tiles.ts'
import { getMapStyle } from './style-json.ts'

/** Pictures, and styles to draw by, below `/tiles`. */
export const pictureEndpoints = [
  endpoint('GET', '/tiles/:layer/style.json', 'public', 'OWS:TMS', { getMapStyle }),
  endpoint('GET', '/tiles/:layer/:z/:x/:y.png', 'public', 'OWS:TMS', { getPngTile }),
  endpoint('GET', '/tiles/:layer/:z/:x/:y.webp', 'public', 'OWS:TMS', { getWebpTile }),
]
