/**
 * CRSs that WMS, WFS and WCS list for every layer with a location; requests in all other known CRSs are
 * accepted too.
 */
export const commonCrs = ['EPSG:4326', 'EPSG:3857', 'EPSG:4258', 'EPSG:3035', 'EPSG:25832', 'EPSG:25833']
