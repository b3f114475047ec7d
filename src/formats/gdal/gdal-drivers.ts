/** A kind of file that GDAL reads for us. */
export interface GdalDriver {
  /** The wire name. */
  name: string
  /** GDAL's short driver names; the first that this GDAL has is used. */
  drivers: readonly string[]
  extensions: readonly string[]
  /** Whether a file with one of the extensions starts as it should; `text` is its first 64 KiB as Latin-1. */
  suits(text: string): boolean
  /** Whether a file with any other extension is of this kind all the same. */
  isUnmistakable?(text: string): boolean
  /** How a whole file ends, where GDAL does not notice that one breaks off. */
  ending?: 'xml' | 'dxf'
  /** GDAL configuration options. */
  config?: Record<string, string>
}

const isZip = (text: string): boolean => text.startsWith('PK\u0003\u0004')
const hasRoot =
  (name: RegExp) =>
  (text: string): boolean =>
    text.trimStart().startsWith('<') && name.test(text)
const isGml = (text: string): boolean => /xmlns(:\w+)?\s*=\s*["']http:\/\/www\.opengis\.net\/gml/.test(text)
const anything = (): boolean => true

/** Text types for GML: what looks like a number may be a code with leading zeros. */
const gmlConfig = {
  GML_FIELDTYPES: 'ALWAYS_STRING',
  GML_SKIP_RESOLVE_ELEMS: 'ALL',
  GML_DOWNLOAD_SCHEMA: 'NO',
}

/** The drivers that may be used; anything that makes GDAL read elsewhere (VRT, databases, web services) is not here. */
export const gdalDrivers: readonly GdalDriver[] = [
  {
    name: 'KML',
    drivers: ['LIBKML', 'KML'],
    extensions: ['kml'],
    suits: hasRoot(/<(\w+:)?kml\b/),
    ending: 'xml',
  },
  { name: 'GPX', drivers: ['GPX'], extensions: ['gpx'], suits: hasRoot(/<gpx\b/), ending: 'xml' },
  {
    name: 'GML',
    drivers: ['GML'],
    extensions: ['gml'],
    suits: hasRoot(/\bgml\b/),
    ending: 'xml',
    isUnmistakable: isGml,
    config: gmlConfig,
  },
  {
    name: 'MapInfo File',
    drivers: ['MapInfo File'],
    extensions: ['tab', 'mif'],
    suits: (text) => /^\s*(!table|version|charset)/i.test(text),
  },
  {
    name: 'AutoCAD DXF',
    drivers: ['DXF'],
    extensions: ['dxf'],
    suits: (text) => text.startsWith('AutoCAD Binary DXF') || /^\s*(0|999)\s/.test(text),
    ending: 'dxf',
    config: { DXF_INLINE_BLOCKS: 'TRUE' },
  },
  {
    name: 'MS Office Open XML spreadsheet',
    drivers: ['XLSX'],
    extensions: ['xlsx', 'xlsm'],
    suits: isZip,
  },
  {
    name: 'Open Document/ LibreOffice / OpenOffice Spreadsheet',
    drivers: ['ODS'],
    extensions: ['ods'],
    suits: isZip,
  },
  { name: 'ESRI FileGDB', drivers: ['OpenFileGDB'], extensions: ['gdb'], suits: anything },
  { name: 'Microstation DGN', drivers: ['DGN'], extensions: ['dgn'], suits: anything },
  {
    name: 'TopoJSON',
    drivers: ['TopoJSON'],
    extensions: ['topojson'],
    suits: (text) => text.includes('"Topology"'),
    isUnmistakable: (text) => /^\s*\{\s*"type"\s*:\s*"Topology"/.test(text),
  },
  { name: 'IHO S-57 (ENC)', drivers: ['S57'], extensions: ['000'], suits: anything },
  {
    name: 'Interlis 1',
    drivers: ['Interlis 1'],
    extensions: ['itf'],
    suits: (text) => text.includes('SCNT'),
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
    suits: (text) => text.startsWith('# @VGMT'),
  },
  {
    name: 'OpenJUMP JML',
    drivers: ['JML'],
    extensions: ['jml'],
    suits: hasRoot(/<JCSDataFile\b/),
    ending: 'xml',
  },
  {
    name: 'Arc/Info E00 (ASCII) Coverage',
    drivers: ['AVCE00'],
    extensions: ['e00'],
    suits: (text) => text.startsWith('EXP'),
  },
]

/** Files that tell GDAL to read other files or addresses. */
export function isRedirection(text: string): boolean {
  return /<(OGRVRTDataSource|VRTDataset|OGRWFSDataSource|WMS_Config|GDAL_WMS|GDAL_WMTS)\b/.test(text)
}
