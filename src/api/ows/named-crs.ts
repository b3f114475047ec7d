import type { LayerRecord } from '../../catalog/index.ts'
import { findCrs } from '../../geo/crs-database.ts'
import { OwsFailure } from './ows-failure.ts'

/**
 * CRSs that WMS, WFS and WCS list for every layer with a location; requests in all other known CRSs are
 * accepted too.
 */
export const commonCrs = ['EPSG:4326', 'EPSG:3857', 'EPSG:4258', 'EPSG:3035', 'EPSG:25832', 'EPSG:25833']

/** A CRS as named by a client, which determines the axis order of coordinates. */
export interface NamedCrs {
  srs: string
  isYx: boolean
  /** URI or code for response documents. */
  name: string
}

/** Longitude, latitude. */
const crs84: NamedCrs = { srs: 'EPSG:4326', isYx: false, name: 'urn:ogc:def:crs:OGC:1.3:CRS84' }

/** A URN means the axes of the authority. */
export function toUrn(srs: string): string {
  const [authority, code] = srs.split(':')
  return `urn:ogc:def:crs:${authority}::${code}`
}

/**
 * The CRS that a text names: URNs and URIs with the axes of the authority, `EPSG:25832` and addresses with `#` with x or
 * easting first, as servers have done since WFS 1.0.
 */
export function readCrs(text: string, locator: string): NamedCrs {
  if (/(?:^CRS:|[:/])(?:CRS)?84h?$/i.test(text) && /CRS:?84h?$/i.test(text)) return crs84
  const plain = text.replace(/^EPSG:(?:900913|102100|102113|3785)$/i, 'EPSG:3857')
  const [, code] = /^http:\/\/www\.opengis\.net\/gml\/srs\/epsg\.xml#(\d+)$/i.exec(plain) ?? []
  const record = findCrs(code === undefined ? plain : `EPSG:${code}`)
  if (record === undefined)
    throw new OwsFailure('InvalidParameterValue', `"${text.slice(0, 200)}" is not a known CRS`, locator)
  const { srs, axisOrder } = record
  const isYx = axisOrder === 'yx'
  if (/^urn:/i.test(text)) return { srs, isYx, name: toUrn(srs) }
  const [authority, number] = srs.split(':')
  if (/^https?:\/\/www\.opengis\.net\/def\/crs\//i.test(text))
    return { srs, isYx, name: `http://www.opengis.net/def/crs/${authority}/0/${number}` }
  if (code !== undefined) return { srs, isYx: false, name: text }
  return { srs, isYx: false, name: srs }
}

/** The CRS with x or easting first, by the name that WFS 1.0 has for it. */
export function plainCrs({ srs, name }: NamedCrs): NamedCrs {
  const [, code] = /^EPSG:(\d+)$/.exec(srs) ?? []
  return {
    srs,
    isYx: false,
    name: code === undefined ? name : `http://www.opengis.net/gml/srs/epsg.xml#${code}`,
  }
}

/** Fields of a layer that determine the CRS of its features. */
export interface LayerCrs {
  details: Pick<LayerRecord['details'], 'schema' | 'srs' | 'crs'>
}

/** Returns the default CRS of a layer's features in responses; undefined if it is unknown. */
export function defaultCrs({ details }: LayerCrs): NamedCrs | undefined {
  const { schema, srs, crs } = details
  if (schema.geometry === undefined) return undefined
  if (srs !== undefined) return { srs, isYx: findCrs(srs)?.axisOrder === 'yx', name: toUrn(srs) }
  return crs === undefined ? undefined : crs84
}
