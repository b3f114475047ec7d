import { endpoint } from '../endpoint.ts'
import { getLegendJson, getLegendLargePng, getLegendPng, getLegendSvg } from './legend.ts'
import { getPngTile, getWebpTile } from './picture-tiles.ts'
import { getQgisLayer } from './qlr.ts'
import { showBands } from './raster-bands.ts'
import { getLargeSpriteJson, getLargeSpritePng, getSpriteJson, getSpritePng } from './sprite.ts'
import { getMapStyle } from './style-json.ts'
import { getPngThumbnail, getWebpThumbnail } from './thumbnail.ts'
import { drawUnsavedStyleTile } from './unsaved-style-tile.ts'

/** Pictures, and styles to draw by, below `/tiles`. */
export const pictureEndpoints = [
  endpoint('GET', '/tiles/:layer/style.json', 'public', 'OWS:TMS', { getMapStyle }),
  endpoint('GET', '/tiles/:layer/layer.qlr', 'public', 'OWS:TMS', { getQgisLayer }),
  endpoint('GET', '/tiles/:layer/:z/:x/:y.png', 'public', 'OWS:TMS', { getPngTile }),
  endpoint('GET', '/tiles/:layer/:z/:x/:y.webp', 'public', 'OWS:TMS', { getWebpTile }),
  endpoint('POST', '/tiles/:layer/:z/:x/:y.png', 'user', 'view', { drawUnsavedStyleTile }),
  endpoint('GET', '/tiles/:layer/bands.json', 'public', 'view', { showBands }),
  endpoint('GET', '/tiles/:layer/legend.svg', 'public', 'OWS:TMS', { getLegendSvg }),
  endpoint('GET', '/tiles/:layer/legend.png', 'public', 'OWS:TMS', { getLegendPng }),
  endpoint('GET', '/tiles/:layer/legend@2x.png', 'public', 'OWS:TMS', { getLegendLargePng }),
  endpoint('GET', '/tiles/:layer/legend.json', 'public', 'OWS:TMS', { getLegendJson }),
  endpoint('GET', '/tiles/:layer/thumbnail.png', 'public', 'OWS:TMS', { getPngThumbnail }),
  endpoint('GET', '/tiles/:layer/thumbnail.webp', 'public', 'OWS:TMS', { getWebpThumbnail }),
  endpoint('GET', '/tiles/sprites/marks.json', 'public', 'view', { getSpriteJson }),
  endpoint('GET', '/tiles/sprites/marks@2x.json', 'public', 'view', { getLargeSpriteJson }),
  endpoint('GET', '/tiles/sprites/marks.png', 'public', 'view', { getSpritePng }),
  endpoint('GET', '/tiles/sprites/marks@2x.png', 'public', 'view', { getLargeSpritePng }),
]
