import { countingOf } from '../../counting.ts'

const { number, count } = countingOf('en')

export const en = {
  title: 'Download',
  format: 'Format',
  crs: 'Coordinate system',
  crsHint: 'Any code, such as EPSG:25832. Empty: as the layer',
  crsHintWgs84: 'Empty: WGS 84',
  onlyWgs84: 'Always WGS 84',
  whole: 'The whole layer',
  filtered: 'Only what the filter leaves',
  boxed: 'Only what the map shows',
  both: 'Only what filter and map leave',
  ofVersion: (version: number) => `Version ${version}`,
  cut: 'Only what the map shows',
  make: 'Download',
  making: 'The file is being written',
  waiting: 'Queued behind other files',
  progress: (done: number, total: number) => `${number(done)} of ${count(total, 'row', 'rows')}`,
  cancel: 'Cancel',
  save: 'Save again',
  ready: (size: string) => `The file is ready: ${size}`,
  losses: 'Not as in the layer',
  loses: {
    gpkg: 'Keeps everything but the numbers of the rows. For QGIS, ArcGIS and GDAL.',
    geojson: 'Writes dates and times as text. For the web.',
    csv: 'A table with the geometry as text, without its coordinate system. For spreadsheets.',
    shp: 'Names are cut to 10 bytes, texts to 254; times become texts; each kind of geometry is a file. In a zip.',
    fgb: 'Times of day become texts; rows without geometry are left out. For large layers on the web, and GDAL.',
    parquet: 'Keeps everything but the numbers of the rows. For data analysis.',
    kml: 'Always WGS 84; most values become texts. For Google Earth.',
    tif: 'A cloud optimized GeoTIFF.',
  } as Partial<Record<string, string>>,
}
