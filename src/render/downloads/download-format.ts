import type { WrittenByGdal } from '../../formats/worker.ts'
import type { WrittenFormatName } from '../../formats/writing/index.ts'
import type { AttributeType } from '../../geo/schema.ts'
import type { FeatureQuery, RequestBox } from '../../stores/index.ts'
import type { RequestFilter } from '../../stores/reading/request-filter.ts'
import type { MetadataFormat } from './copy-metadata.ts'

/** Selects a part of the matching rows, and their order. Plain data. */
export type RowsPage = Partial<Pick<FeatureQuery, 'limit' | 'offset' | 'sort' | 'featureIds'>>

/** A download request. */
export interface DownloadRequest {
  format: DownloadFormat
  /** Code of the CRS; absent: the default of the format, usually the CRS of the layer. */
  srs?: string
  box?: RequestBox
  filter?: RequestFilter
  /** A part of the matching rows; absent: all. Only for the present version. */
  page?: RowsPage
  /** Names of attributes; absent: all. */
  properties?: string[]
  /** Version of the layer; absent: the present one. */
  version?: number
}

/** Formats in addition to GeoPackage to which Terrane writes rows sequentially. */
export type RowsFormat = 'geojson' | 'parquet' | WrittenFormatName

/** Properties of a file format. */
export interface FormatOfFile {
  title: string
  mediaType: string
  /** File name extension of the download. */
  extension: string
  of: 'features' | 'coverage'
  /** The only CRS that the format supports. */
  onlySrs?: string
  /** Default CRS; absent: the CRS of the layer. */
  usualSrs?: string
  /** True if rows without geometry are omitted. */
  needsGeometry?: boolean
  columns?: ColumnRules
  /** Format in which rows are written sequentially; absent: a GeoPackage. */
  rows?: RowsFormat
  /** Set if GDAL creates the file from the GeoPackage. */
  gdal?: WrittenByGdal
  /**
   * Method of adding attribution, licence, contact, owner, citation and DOI if they are not written with the rows: another header,
   * or none.
   */
  terms?: MetadataFormat | 'lost'
  /** Values that columns of the format cannot store; they are missing. */
  lacks?: readonly SpecialValue[]
  /** Losses of every file in the format. */
  losses: readonly string[]
}

/** NaN, infinite numbers, infinite dates and times. */
export type SpecialValue = 'nan' | 'infinity' | 'infinite-time'

/** Restrictions on columns of a format. */
export interface ColumnRules {
  maxNameBytes?: number
  maxTextBytes?: number
  /** Set if numbers have as many characters as their field. */
  hasNumberFields?: true
  /** Types that become text, binary as Base64. */
  asText?: readonly AttributeType[]
  dropped?: readonly AttributeType[]
}

const wgs84 = 'EPSG:4326'

const formats = {
  gpkg: {
    title: 'GeoPackage',
    mediaType: 'application/geopackage+sqlite3',
    extension: 'gpkg',
    of: 'features',
    lacks: ['nan', 'infinite-time'],
    losses: ['Features are numbered anew'],
  },
  geojson: {
    title: 'GeoJSON',
    mediaType: 'application/geo+json',
    extension: 'geojson',
    of: 'features',
    rows: 'geojson',
    usualSrs: wgs84,
    lacks: ['nan', 'infinity', 'infinite-time'],
    losses: [
      'Types of columns: dates, times and binary values are texts',
      'M values of coordinates',
      'A CRS other than WGS 84 stands in the member "crs", which many programs do not read',
    ],
  },
  csv: {
    title: 'CSV',
    mediaType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    of: 'features',
    rows: 'csv',
    terms: 'lost',
    losses: [
      'Types of columns: all values are texts, binary ones as Base64',
      'The CRS: geometries are WKT without one',
    ],
  },
  shp: {
    title: 'Shapefile',
    mediaType: 'application/zip',
    extension: 'zip',
    of: 'features',
    lacks: ['nan', 'infinity', 'infinite-time'],
    columns: {
      maxNameBytes: 10,
      maxTextBytes: 254,
      hasNumberFields: true,
      asText: ['timestamp', 'time', 'decimal'],
      dropped: ['binary'],
    },
    gdal: {
      drivers: ['ESRI Shapefile'],
      extension: 'shp',
      isZipped: true,
      maxTextBytes: 254,
      options: ['-lco', 'ENCODING=UTF-8', '-lco', '2GB_LIMIT=YES'],
    },
    losses: [
      'Names of columns are at most 10 bytes long, texts 254 bytes',
      'Times of day, and times with a date, are texts; so are decimals',
      'Empty texts cannot be told from missing ones; true and false are 1 and 0',
      'Features are numbered anew; no file is larger than 2 GB',
    ],
  },
  fgb: {
    title: 'FlatGeobuf',
    mediaType: 'application/vnd.flatgeobuf',
    extension: 'fgb',
    of: 'features',
    needsGeometry: true,
    terms: 'fgb',
    lacks: ['nan', 'infinite-time'],
    columns: { asText: ['time', 'decimal'] },
    gdal: { drivers: ['FlatGeobuf'], extension: 'fgb' },
    losses: [
      'Times of day and decimals are texts; days are times at midnight',
      'Features are numbered anew, and stand in the order of their places',
    ],
  },
  parquet: {
    title: 'GeoParquet',
    mediaType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    of: 'features',
    rows: 'parquet',
    lacks: ['infinite-time'],
    losses: ['Features are numbered anew; decimals are texts'],
  },
  kml: {
    title: 'KML',
    mediaType: 'application/vnd.google-earth.kml+xml',
    extension: 'kml',
    of: 'features',
    onlySrs: wgs84,
    usualSrs: wgs84,
    terms: 'kml',
    lacks: ['nan', 'infinity', 'infinite-time'],
    columns: { asText: ['timestamp', 'date', 'time', 'decimal', 'binary', 'int64', 'boolean'] },
    gdal: { drivers: ['KML', 'LIBKML'], extension: 'kml' },
    losses: [
      'The CRS: all of it is in WGS 84',
      'Types of columns but whole numbers, numbers and texts; M values of coordinates',
      'Features are numbered anew',
    ],
  },
  tif: {
    title: 'GeoTIFF',
    extension: 'tif',
    of: 'coverage',
    losses: [],
    mediaType: 'image/tiff; application=geotiff; profile=cloud-optimized',
  },
} satisfies Record<string, FormatOfFile>

/** Download format of layers: its name in URLs. */
export type DownloadFormat = keyof typeof formats
/** The registry: all formats by their names in URLs. */
export const formatsOfFiles: Readonly<Record<DownloadFormat, FormatOfFile>> = formats
/** Names of all formats. */
export const downloadFormats = Object.keys(formats) as DownloadFormat[]
