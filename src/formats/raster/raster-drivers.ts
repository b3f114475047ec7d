import type { FormatNames } from '../format.ts'

/** A kind of raster file that GDAL reads. */
interface RasterKind extends FormatNames {
  /** GDAL's short driver names; those that this GDAL has are tried. */
  drivers: readonly string[]
  /** True if a file has the start of this format; `text` is its first 64 KiB as Latin-1. */
  suits(text: string): boolean
  /** The start alone is inconclusive: the extension must match too. */
  needsExtension?: true
}

const startsWith =
  (...marks: string[]) =>
  (text: string): boolean =>
    marks.some((mark) => text.startsWith(mark))
const isTiff = startsWith('II*\0', 'MM\0*', 'II+\0', 'MM\0+')
const isImage = startsWith('\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', 'BM')
const isText = (pattern: RegExp) => (text: string) => pattern.test(text) && !text.includes('\0')
const anything = (): boolean => true

/**
 * Readable rasters, by API name. Excludes formats that make GDAL read other files (VRT, web services, headers
 * that name other files, HDF 5 with its external storage).
 */
const kinds = {
  GeoTIFF: {
    drivers: ['GTiff'],
    extensions: ['tif', 'tiff', 'gtiff'],
    sidecars: [{ endings: ['tfw', 'tifw', 'tiffw', 'xml'], of: ['tif', 'tiff'] }],
    mediaTypes: { 'image/tiff': ['tif', 'tiff'] },
    suits: isTiff,
  },
  WorldImage: {
    drivers: ['JPEG', 'PNG', 'GIF', 'BIGGIF', 'BMP'],
    extensions: ['jpg', 'jpeg', 'png', 'gif', 'bmp'],
    sidecars: [
      { endings: ['jgw', 'jpw', 'jpgw', 'xml'], of: ['jpg', 'jpeg'] },
      { endings: ['pgw', 'pnw', 'pngw', 'xml'], of: ['png'] },
      { endings: ['gfw'], of: ['gif'] },
      { endings: ['bpw'], of: ['bmp'] },
    ],
    mediaTypes: { 'image/jpeg': ['jpg', 'jpeg'], 'image/png': ['png'] },
    suits: isImage,
    needsExtension: true,
  },
  'JPEG-2000 driver based on OpenJPEG library': {
    drivers: ['JP2OpenJPEG'],
    extensions: ['jp2', 'j2k', 'jpx', 'j2c'],
    sidecars: [{ endings: ['xml'], of: ['jp2'] }],
    suits: startsWith('\0\0\0\x0cjP  \r\n\x87\n', '\xff\x4f\xff\x51'),
  },
  WEBP: {
    drivers: ['WEBP'],
    extensions: ['webp'],
    suits: (text) => text.startsWith('RIFF') && text.startsWith('WEBP', 8),
  },
  'Erdas Imagine Images (.img)': {
    drivers: ['HFA'],
    extensions: ['img'],
    sidecars: [{ endings: ['ige', 'xml'] }],
    suits: startsWith('EHFA_HEADER_TAG'),
  },
  'Arc/Info ASCII Grid': {
    drivers: ['AAIGrid'],
    extensions: ['asc', 'grd', 'txt'],
    sidecars: [{ endings: ['xml'], of: ['asc'] }],
    suits: isText(/^\s*(ncols|nrows|xllc|yllc|dx|cellsize)[a-z]*\s+[-\d.]/i),
    needsExtension: true,
  },
  'GRASS ASCII Grid': {
    drivers: ['GRASSASCIIGrid'],
    extensions: ['asc', 'txt'],
    suits: isText(/^\s*(north|south|east|west|rows|cols):/i),
    needsExtension: true,
  },
  'DTED Elevation Raster': {
    drivers: ['DTED'],
    extensions: ['dt0', 'dt1', 'dt2'],
    suits: startsWith('VOL1', 'HDR1', 'UHL1'),
    needsExtension: true,
  },
  'SRTMHGT File Format': { drivers: ['SRTMHGT'], extensions: ['hgt'], suits: anything, needsExtension: true },
  'USGS Optional ASCII DEM (and CDED)': {
    drivers: ['USGSDEM'],
    extensions: ['dem'],
    suits: anything,
    needsExtension: true,
  },
  'Golden Software ASCII Grid (.grd)': { drivers: ['GSAG'], extensions: ['grd'], suits: startsWith('DSAA') },
  'Golden Software Binary Grid (.grd)': { drivers: ['GSBG'], extensions: ['grd'], suits: startsWith('DSBB') },
  'Golden Software 7 Binary Grid (.grd)': {
    drivers: ['GS7BG'],
    extensions: ['grd'],
    suits: startsWith('DSRB'),
  },
  'GRIdded Binary (.grb, .grb2)': {
    drivers: ['GRIB'],
    extensions: ['grb', 'grb2', 'grib', 'grib2'],
    suits: startsWith('GRIB'),
  },
  'National Imagery Transmission Format': {
    drivers: ['NITF'],
    extensions: ['ntf', 'nitf', 'nsf'],
    suits: startsWith('NITF', 'NSIF'),
  },
  'Network Common Data Format': {
    drivers: ['netCDF'],
    extensions: ['nc', 'cdf'],
    suits: startsWith('CDF\x01', 'CDF\x02', 'CDF\x05'),
  },
  'Idrisi Raster A.1': {
    drivers: ['RST'],
    extensions: ['rst'],
    sidecars: [{ endings: ['rdc', 'ref'] }],
    suits: anything,
    needsExtension: true,
  },
  'ESRI .hdr Labelled': {
    drivers: ['EHdr'],
    extensions: ['bil', 'bip', 'bsq', 'flt'],
    sidecars: [{ endings: ['hdr', 'stx', 'clr', 'xml'] }],
    suits: anything,
    needsExtension: true,
  },
  'SAGA GIS Binary Grid (.sdat, .sg-grd-z)': {
    drivers: ['SAGA'],
    extensions: ['sdat'],
    sidecars: [{ endings: ['sgrd', 'mgrd'] }],
    suits: anything,
    needsExtension: true,
  },
  'VTP .bt (Binary Terrain) 1.3 Format': {
    drivers: ['BT'],
    extensions: ['bt'],
    suits: startsWith('binterr'),
  },
  'PCRaster Raster File': {
    drivers: ['PCRaster'],
    extensions: ['map', 'pcraster'],
    suits: startsWith('RUU CROSS SYSTEM MAP FORMAT'),
  },
  'NOAA Vertical Datum .GTX': {
    drivers: ['GTX'],
    extensions: ['gtx'],
    suits: anything,
    needsExtension: true,
  },
} as const satisfies Record<string, RasterKind>

/** API name of a raster format, which also is the type of its coverage stores. */
export type RasterFormatName = keyof typeof kinds

export interface RasterDriver extends RasterKind {
  name: RasterFormatName
}

export const rasterDrivers: readonly RasterDriver[] = Object.entries<RasterKind>(kinds).map(
  ([name, kind]) => ({ name: name as RasterFormatName, ...kind }),
)

/** True if a file with this start and extension has the driver's format. */
export function isOfKind(
  { extensions, suits, needsExtension }: RasterKind,
  extension: string,
  text: string,
): boolean {
  if (needsExtension === true && !extensions.includes(extension)) return false
  return suits(text)
}
