import { extname } from 'node:path'
import type { Format } from '../format.ts'
import { tableSidecars } from './dbase.ts'
import { describeShapefile } from './describe-shapefile.ts'
import { readShapefile, shapefileRows } from './read-shapefile.ts'
import { isShpHead } from './shp-header.ts'

/** ESRI Shapefile (Technical Description, July 1998) with its dBASE table. */
export const shapefile: Format = {
  name: 'Shapefile',
  kind: 'vector',
  extensions: ['shp'],
  sidecars: [
    { endings: [...tableSidecars, 'dbf'] },
    { endings: ['sbn', 'sbx', 'qix', 'idx', 'fbn', 'fbx', 'ain', 'aih', 'atx', 'ixs', 'mxs'] },
    { endings: ['shp.xml', 'shp.ed.lock', 'xml'] },
  ],
  fetchedSidecars: ['shx', 'dbf', 'dbt', 'fpt', 'prj', 'cpg', 'qpj', 'shp.xml', 'sld', 'qml'],
  canServeDirectly: true,
  writtenByGdal: {
    drivers: ['ESRI Shapefile'],
    extension: 'shp',
    isZipped: true,
    options: ['-lco', 'ENCODING=UTF-8'],
    maxTextBytes: 254,
  },
  // A .shx starts with the same bytes.
  detect: (file, head) => extname(file.path).toLowerCase() !== '.shx' && isShpHead(head),
  describe: describeShapefile,
  read: readShapefile,
  rowAccess: shapefileRows,
}
