/**
 * Extensions of files that belong to a main file of any kind: attributes of raster values, CRS, encoding, style, and
 * what GDAL keeps beside rasters.
 */
export const commonSidecars: readonly string[] = [
  ...['vat.dbf', 'prj', 'cpg', 'qpj', 'qmd', 'sld', 'qml'],
  ...['aux', 'aux.xml', 'wld', 'rrd', 'ovr', 'msk'],
]
