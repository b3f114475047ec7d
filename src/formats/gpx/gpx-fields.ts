import type { FormatField } from '../xml/row-survey.ts'

/** Layers in GDAL's order with GDAL's names; layers without rows are omitted. */
export const gpxLayers = ['waypoints', 'routes', 'tracks', 'route_points', 'track_points'] as const
export type GpxLayer = (typeof gpxLayers)[number]

/**
 * Elements of points, routes and tracks (GPX 1.1, and additional ones of 1.0) as attributes, with the types
 * of the schema; those without values in a layer are omitted. Routes, tracks, segments and points are
 * numbered from 0.
 */
export const gpxFields = [
  { name: 'track_fid', type: 'int' },
  { name: 'track_seg_id', type: 'int' },
  { name: 'track_seg_point_id', type: 'int' },
  { name: 'route_fid', type: 'int' },
  { name: 'route_point_id', type: 'int' },
  { name: 'ele', type: 'double' },
  { name: 'time', type: 'timestamp' },
  { name: 'magvar', type: 'double' },
  { name: 'geoidheight', type: 'double' },
  { name: 'name', type: 'string' },
  { name: 'cmt', type: 'string' },
  { name: 'desc', type: 'string' },
  { name: 'src', type: 'string' },
  { name: 'link1_href', type: 'string' },
  { name: 'link1_text', type: 'string' },
  { name: 'link1_type', type: 'string' },
  { name: 'link2_href', type: 'string' },
  { name: 'link2_text', type: 'string' },
  { name: 'link2_type', type: 'string' },
  { name: 'url', type: 'string' },
  { name: 'urlname', type: 'string' },
  { name: 'sym', type: 'string' },
  { name: 'number', type: 'int' },
  { name: 'type', type: 'string' },
  { name: 'fix', type: 'string' },
  { name: 'sat', type: 'int' },
  { name: 'hdop', type: 'double' },
  { name: 'vdop', type: 'double' },
  { name: 'pdop', type: 'double' },
  { name: 'ageofdgpsdata', type: 'double' },
  { name: 'dgpsid', type: 'int' },
  { name: 'course', type: 'double' },
  { name: 'speed', type: 'double' },
] as const satisfies readonly FormatField[]

export type GpxField = (typeof gpxFields)[number]['name']

/** Returns the number of a field. */
export function gpxField(name: GpxField): number {
  return gpxFields.findIndex((field) => field.name === name)
}
