import { findCrs } from '../../../geo/crs-database.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WmsVersion } from './wms-request.ts'

/** The CRS of a map. */
export interface MapCrs {
  /** Such as `EPSG:25832`. */
  srs: string
  /** True if latitude or northing comes first in BBOX. */
  isYx: boolean
}

/** The CRS of a request; throws `OwsFailure` (`InvalidCRS`, in 1.1.1 `InvalidSRS`). */
export function readMapCrs(values: KeyValues, version: WmsVersion): MapCrs {
  const name = version === '1.3.0' ? 'crs' : 'srs'
  const text = values.find(name) ?? values.find(name === 'crs' ? 'srs' : 'crs') ?? values.require(name)
  if (/^CRS:84$/i.test(text)) return { srs: 'EPSG:4326', isYx: false }
  // Names of web mercator in older clients.
  const record = /^EPSG:(?:900913|102100|102113|3785)$/i.test(text) ? findCrs('EPSG:3857') : findCrs(text)
  if (record === undefined)
    throw new OwsFailure(
      version === '1.3.0' ? 'InvalidCRS' : 'InvalidSRS',
      `${name.toUpperCase()} "${text}" is not known here`,
      name,
    )
  return { srs: record.srs, isYx: version === '1.3.0' && record.axisOrder === 'yx' }
}

/** BBOX with x before y; throws `OwsFailure` (`InvalidParameterValue`). */
export function readMapBox(values: KeyValues, { isYx }: Pick<MapCrs, 'isYx'>): Envelope {
  const text = values.require('bbox')
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [a = 0, b = 0, c = 0, d = 0] = numbers
  if (numbers.length !== 4 || !numbers.every((one) => Number.isFinite(one) && Math.abs(one) < 1e12))
    throw new OwsFailure(
      'InvalidParameterValue',
      `BBOX "${text}" is not four numbers separated by commas`,
      'bbox',
    )
  const box = isYx ? { minX: b, minY: a, maxX: d, maxY: c } : { minX: a, minY: b, maxX: c, maxY: d }
  if (box.minX < box.maxX && box.minY < box.maxY) return box
  const order = isYx ? ': in this CRS latitude or northing comes first' : ''
  throw new OwsFailure(
    'InvalidParameterValue',
    `BBOX "${text}" has no area: the least corner comes first, then the largest${order}`,
    'bbox',
  )
}
