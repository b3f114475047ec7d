import { fullAddressOf } from '../../../lib/base.ts'
import { ogcAddress, tilesAddress, type UsedLayer } from './used-layer.ts'

/** A service by its common name, and its address. */
interface Service {
  name: 'OGC API' | 'WMS' | 'WMTS' | 'WFS' | 'WCS' | 'XYZ' | 'MVT'
  address: string
}

/** Returns the services of a layer; tiles and maps if its location is known. */
export function servicesOf(layer: UsedLayer): Service[] {
  const hasRows = layer.kind !== 'raster'
  const isDrawn = layer.kind === 'features' && layer.isPlaced
  const offered: Record<Service['name'], string | false> = {
    'OGC API': ogcAddress(),
    WMS: (isDrawn || !hasRows) && fullAddressOf('/wms'),
    WMTS: (isDrawn || !hasRows) && fullAddressOf('/wmts'),
    WFS: hasRows && fullAddressOf('/wfs'),
    WCS: !hasRows && fullAddressOf('/wcs'),
    XYZ: (isDrawn || !hasRows) && `${tilesAddress(layer)}/{z}/{x}/{y}.png`,
    MVT: isDrawn && `${tilesAddress(layer)}/{z}/{x}/{y}.mvt`,
  }
  return Object.entries(offered).flatMap(([name, address]) =>
    address === false ? [] : [{ name: name as Service['name'], address }],
  )
}
