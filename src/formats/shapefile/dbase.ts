import { basename, extname } from 'node:path'
import type { DataFile, Format, FormatMessage, LayerDescription, ReadContext } from '../format.ts'
import { describeDbf } from './describe-table.ts'
import { readTable } from './read-shapefile.ts'
import { openTable } from './shapefile-files.ts'

const minHeaderBytes = 33
/** First bytes of dBASE III to 7 (7 is rejected by name when read), FoxPro and Visual FoxPro tables. */
const versions = new Set([
  0x03, 0x04, 0x05, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0x8c, 0x8e, 0xcb, 0xe5, 0xeb, 0xf5, 0xfb,
])

/** Extensions of the sidecars of a table: memos and its encoding; a .shx shows that a .shp is missing. */
export const tableSidecars: readonly string[] = ['shx', 'dbt', 'fpt', 'cst']

async function describeDbase(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const parts = await openTable(file, context.signal)
  try {
    const messages: FormatMessage[] = []
    const { columns, encoding, rows, deleted } = await describeDbf(file, parts, undefined, context, messages)
    const layer: LayerDescription = {
      name: basename(file.path, extname(file.path)),
      schema: { attributes: columns.map((column) => column.attribute), geometry: undefined },
      featureCount: rows - deleted,
      messages,
    }
    if (encoding !== undefined) layer.charset = encoding.name
    return [layer]
  } finally {
    await parts.close()
  }
}

/** A dBASE table without a Shapefile; with a .shx next to it, it is a Shapefile whose .shp is missing. */
export const dbase: Format = {
  name: 'dBASE',
  kind: 'vector',
  extensions: ['dbf'],
  sidecars: [{ endings: tableSidecars }],
  canServeDirectly: false,
  writtenByGdal: {
    drivers: ['ESRI Shapefile'],
    extension: 'dbf',
    isZipped: true,
    options: ['-lco', 'ENCODING=UTF-8', '-nlt', 'NONE'],
    maxTextBytes: 254,
  },
  detect: (file, head) =>
    extname(file.path).toLowerCase() === '.dbf' &&
    file.sidecars.shx === undefined &&
    head.length >= minHeaderBytes &&
    versions.has(head[0] as number),
  describe: describeDbase,
  read: readTable,
}
