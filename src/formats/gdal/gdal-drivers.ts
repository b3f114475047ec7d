import type { FormatNames, WrittenByGdal } from '../format.ts'
import { copySqlite } from './copy-sqlite.ts'
import { copyPlainWorkbook } from './plain-workbook.ts'

/** A kind of file that GDAL reads. */
export interface GdalDriver extends FormatNames {
  /** Name in the API. */
  name: string
  /** GDAL's short driver names; the first one that this GDAL has is used. */
  drivers: readonly string[]
  /** True if a file with one of the extensions has a valid start; `text` is its first 64 KiB as Latin-1. */
  suits(text: string): boolean
  /** True if a file with another extension has this format nevertheless. */
  isUnmistakable?(text: string): boolean
  /** The file that identifies a folder as a dataset, if the driver reads folders. */
  folderFile?: RegExp
  /** Set if the start of the file is inconclusive: GDAL tries to open the file. */
  isProbed?: true
  /** End of a complete file, if GDAL does not detect truncated files. */
  ending?: 'xml' | 'dxf'
  /** Set if fields are texts whose types are inferred by reading the whole file. */
  infersTypes?: true
  /** Set if the first row of each table contains the column names. */
  hasHeaderRow?: true
  /**
   * Copies a file that GDAL must not open directly to a folder, under a name; returns false if GDAL may open
   * the file.
   */
  copy?(path: string, folder: string, name: string, signal: AbortSignal): Promise<boolean>
  /** Set if the file contains SQL of tables and views. */
  isSqlite?: true
  /** Options with which GDAL writes such files, if they can contain any table. */
  written?: WrittenByGdal
  /** GDAL configuration options. */
  config?: Record<string, string>
}

const startsWith =
  (...starts: string[]) =>
  (text: string): boolean =>
    starts.some((start) => text.startsWith(start))
const matches =
  (form: RegExp) =>
  (text: string): boolean =>
    form.test(text)
const hasRoot =
  (name: RegExp) =>
  (text: string): boolean =>
    text.trimStart().startsWith('<') && name.test(text)
const isZip = startsWith('PK\u0003\u0004')
const namesGml = matches(/xmlns(:\w+)?\s*=\s*["']http:\/\/www\.opengis\.net\/gml/)
/** Metadata, capabilities and exceptions mention GML too, but contain no features. */
const isAboutServices = matches(/<(\w+:)?(M[DI]_Metadata|\w+_Capabilities|Capabilities|\w*ExceptionReport)\b/)
const isGml = (text: string): boolean => namesGml(text) && !isAboutServices(text)
const anything = (): boolean => true

/** Reads every field as text, since apparent numbers may be codes; follows no links and fetches nothing. */
const gmlConfig = {
  GML_FIELDTYPES: 'ALWAYS_STRING',
  GML_SKIP_RESOLVE_ELEMS: 'ALL',
  GML_DOWNLOAD_WFS_SCHEMA: 'NO',
  GML_PARSER: 'EXPAT',
}

export const sqliteDriver: GdalDriver = {
  name: 'SQLite / Spatialite',
  drivers: ['SQLite'],
  extensions: ['sqlite', 'sqlite3', 'spatialite', 'db'],
  suits: startsWith('SQLite format 3\u0000'),
  isSqlite: true,
  copy: async (path, folder, name) => {
    await copySqlite(path, folder, name)
    return true
  },
  written: { drivers: ['SQLite'], extension: 'sqlite', options: ['-dsco', 'SPATIALITE=NO'] },
  config: { OGR_PROMOTE_TO_INTEGER64: 'YES' },
}

/**
 * Permitted drivers. Excluded: drivers that make GDAL read other files or addresses (VRT, web services,
 * databases, formats with label and data files), drivers that run programs (GPSBabel), and raster formats.
 */
export const gdalDrivers: readonly GdalDriver[] = [
  {
    name: 'GML',
    drivers: ['GML'],
    extensions: ['gml'],
    sidecars: [{ endings: ['gfs', 'xsd'] }],
    mediaTypes: { 'application/gml+xml': ['gml', 'xml'] },
    suits: hasRoot(/\bgml\b/),
    ending: 'xml',
    isUnmistakable: isGml,
    infersTypes: true,
    written: { drivers: ['GML'], extension: 'gml', isZipped: true },
    config: gmlConfig,
  },
  {
    name: 'MapInfo File',
    drivers: ['MapInfo File'],
    extensions: ['tab', 'mif'],
    sidecars: [
      { endings: ['dat', 'map', 'id', 'ind', 'dbf'], of: ['tab'] },
      { endings: ['mid'], of: ['mif'] },
    ],
    suits: matches(/^\s*(!table|version|charset)/i),
    written: { drivers: ['MapInfo File'], extension: 'tab', isZipped: true, maxTextBytes: 254 },
  },
  {
    name: 'AutoCAD DXF',
    drivers: ['DXF'],
    extensions: ['dxf'],
    suits: matches(/^(AutoCAD Binary DXF|\s*(0|999)\s)/),
    ending: 'dxf',
    config: { DXF_INLINE_BLOCKS: 'TRUE' },
  },
  {
    name: 'MS Office Open XML spreadsheet',
    drivers: ['XLSX'],
    extensions: ['xlsx', 'xlsm'],
    suits: isZip,
    hasHeaderRow: true,
    copy: copyPlainWorkbook,
    written: { drivers: ['XLSX'], extension: 'xlsx' },
    config: { OGR_XLSX_HEADERS: 'FORCE' },
  },
  {
    name: 'Open Document/ LibreOffice / OpenOffice Spreadsheet',
    drivers: ['ODS'],
    extensions: ['ods'],
    suits: isZip,
    hasHeaderRow: true,
    written: { drivers: ['ODS'], extension: 'ods' },
    config: { OGR_ODS_HEADERS: 'FORCE' },
  },
  {
    name: 'MS Excel format',
    drivers: ['XLS'],
    extensions: ['xls'],
    suits: startsWith('\u00d0\u00cf\u0011\u00e0'),
    hasHeaderRow: true,
    config: { OGR_XLS_HEADERS: 'FORCE' },
  },
  {
    name: 'ESRI FileGDB',
    drivers: ['OpenFileGDB'],
    extensions: ['gdb'],
    suits: () => false,
    folder: { extensions: ['gdb'], holds: /\.gdbtable$/i },
    folderFile: /^a00000001\.gdbtable$/i,
    written: { drivers: ['OpenFileGDB'], extension: 'gdb', isZipped: true },
  },
  sqliteDriver,
  { name: 'Microstation DGN', drivers: ['DGN'], extensions: ['dgn'], suits: anything, isProbed: true },
  {
    name: 'TopoJSON',
    drivers: ['TopoJSON'],
    extensions: ['topojson'],
    suits: (text) => text.includes('"Topology"'),
    isUnmistakable: matches(/^\s*\{\s*"type"\s*:\s*"Topology"/),
  },
  {
    name: 'ESRIJSON',
    drivers: ['ESRIJSON'],
    extensions: ['esrijson'],
    suits: (text) => text.includes('esriGeometry'),
    isUnmistakable: matches(/^\s*\{[^[]*"geometryType"\s*:\s*"esriGeometry/),
  },
  { name: 'IHO S-57 (ENC)', drivers: ['S57'], extensions: ['000'], suits: anything, isProbed: true },
  {
    name: 'Interlis 1',
    drivers: ['Interlis 1'],
    extensions: ['itf'],
    suits: (text) => text.includes('SCNT'),
  },
  {
    name: 'Interlis 2',
    drivers: ['Interlis 2'],
    extensions: ['xtf'],
    suits: hasRoot(/<TRANSFER\b/),
    ending: 'xml',
  },
  {
    name: 'GeoRSS',
    drivers: ['GeoRSS'],
    extensions: ['georss'],
    suits: hasRoot(/<(rss|feed|rdf:RDF)\b/),
    ending: 'xml',
  },
  {
    name: 'GMT ASCII Vectors (.gmt)',
    drivers: ['OGR_GMT'],
    extensions: ['gmt'],
    suits: startsWith('# @VGMT'),
    written: { drivers: ['OGR_GMT'], extension: 'gmt' },
  },
  {
    name: 'OpenJUMP JML',
    drivers: ['JML'],
    extensions: ['jml'],
    suits: hasRoot(/<JCSDataFile\b/),
    written: { drivers: ['JML'], extension: 'jml' },
    ending: 'xml',
  },
  {
    name: 'MapML',
    drivers: ['MapML'],
    extensions: ['mapml'],
    suits: hasRoot(/<(mapml-|mapml)\b/),
    ending: 'xml',
  },
  {
    name: 'OpenStreetMap XML and PBF',
    drivers: ['OSM'],
    extensions: ['osm', 'pbf'],
    suits: (text) => /<osm\b/.test(text) || text.slice(0, 100).includes('OSMHeader'),
  },
  {
    name: 'Arc/Info E00 (ASCII) Coverage',
    drivers: ['AVCE00'],
    extensions: ['e00'],
    suits: startsWith('EXP'),
  },
  { name: 'AutoCAD Driver', drivers: ['CAD'], extensions: ['dwg'], suits: startsWith('AC10') },
  { name: 'UK .NTF', drivers: ['UK .NTF'], extensions: ['ntf'], suits: startsWith('01'), isProbed: true },
  { name: 'Norwegian SOSI Standard', drivers: ['SOSI'], extensions: ['sos'], suits: matches(/^\s*\.HODE/) },
  { name: 'Geoconcept', drivers: ['Geoconcept'], extensions: ['gxt'], suits: anything, isProbed: true },
  {
    name: 'Czech Cadastral Exchange Data Format',
    drivers: ['VFK'],
    extensions: ['vfk'],
    suits: startsWith('&H'),
  },
  { name: 'Storage and eXchange Format', drivers: ['SXF'], extensions: ['sxf'], suits: startsWith('SXF') },
  { name: 'Selafin', drivers: ['Selafin'], extensions: ['slf'], suits: anything, isProbed: true },
  { name: 'WAsP .map format', drivers: ['WAsP'], extensions: ['map'], suits: anything, isProbed: true },
  {
    name: 'VDV-451/VDV-452/INTREST Data Format',
    drivers: ['VDV'],
    extensions: ['x10'],
    suits: matches(/^\s*mod;/i),
  },
]

/** True for files that make GDAL read other files or addresses. */
export function isRedirection(text: string): boolean {
  return /<(OGRVRTDataSource|VRTDataset|OGRWFSDataSource|OGRCSWDataSource|WMS_Config|GDAL_WMS|GDAL_WMTS)\b/.test(
    text,
  )
}
