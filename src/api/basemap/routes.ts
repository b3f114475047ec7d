import type { ApiArea } from '../app-types.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import type { BasemapDeps } from './basemap.ts'
import { getBasemapTile, getDarkBasemap, getLightBasemap, showBasemap } from './basemap.ts'

/** The base map of the web interface: files that are not counted as usage. */
export const basemapEndpoints = [
  endpoint('GET', '/assets/basemap.json', 'public', 'unrecorded', { showBasemap }),
  endpoint('GET', '/assets/basemap/light.json', 'public', 'unrecorded', { getLightBasemap }),
  endpoint('GET', '/assets/basemap/dark.json', 'public', 'unrecorded', { getDarkBasemap }),
  endpoint('GET', '/assets/basemap/:z/:x/:y.mvt', 'public', 'unrecorded', { getBasemapTile }),
]

export function basemapArea(deps: BasemapDeps): ApiArea {
  return (app) => {
    app.addHook('onClose', async () => deps.background.close())
    addEndpoints(app, basemapEndpoints, deps)
  }
}
