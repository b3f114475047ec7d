/**
 * Extensions of sidecar files of any main file: raster attribute tables, CRS, encoding, style, and files that
 * GDAL writes next to rasters.
 */
export const commonSidecars: readonly string[] = [
  'vat.dbf',
  'prj',
  'cpg',
  'qpj',
  'qmd',
  'sld',
  'qml',
  'aux',
  'aux.xml',
  'wld',
  'rrd',
  'ovr',
  'msk',
]
