import { join } from 'node:path'
import type { LayerRecord } from '../catalog/records.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import type { Attribute } from '../geo/schema.ts'
import { defined } from '../lib/defined.ts'
import type { EarlierLayer } from '../maps/versions/previous-versions.ts'
import { filterInTable } from '../stores/reading/shown-columns.ts'
import type { DownloadRequest } from './download-format.ts'
import { formatsOfFiles } from './download-format.ts'
import type { FileColumn } from './file-columns.ts'
import type { RowExportRequest } from './row-export-request.ts'
import { termsOf } from './terms.ts'

/** Returns the requested attributes of a layer, in its order. */
export function chosenAttributes({ details }: LayerRecord, properties: string[] | undefined): Attribute[] {
  const { attributes } = details.schema
  return properties === undefined ? attributes : attributes.filter(({ name }) => properties.includes(name))
}

function ownCrs({ details: { kind, srs, crs, schema } }: LayerRecord): CrsDeclaration | string | undefined {
  return kind === 'vector' && schema.geometry === undefined ? undefined : (srs ?? crs)
}

/** Returns the CRS of the file; undefined if that of the layer is unknown. */
function fileCrs(layer: LayerRecord, { format, srs }: DownloadRequest): CrsDeclaration | string | undefined {
  const own = ownCrs(layer)
  const { onlySrs, usualSrs } = formatsOfFiles[format]
  return own === undefined ? undefined : (onlySrs ?? srs ?? usualSrs ?? own)
}

/** Returns the code of the CRS of the file, if it has one. */
export function fileSrs(layer: LayerRecord, wish: DownloadRequest): string | undefined {
  const crs = fileCrs(layer, wish)
  return typeof crs === 'object' ? crs.srs : crs
}

/** Plans which rows of a layer are written, and in which format. */
export function planDownloadRows(
  { layer, connection, columns: shown }: EarlierLayer,
  wish: DownloadRequest,
  { columns, task }: { columns: FileColumn[]; task: { workPath: string; roomBytes: number } },
): RowExportRequest {
  const { columns: rules, usualSrs, rows, lacks } = formatsOfFiles[wish.format]
  const { box, filter, page } = wish
  const to = fileCrs(layer, wish)
  const namedSrs = typeof to === 'string' && to !== usualSrs ? to : undefined
  return {
    connection,
    table: layer.nativeName,
    columns,
    geometry: layer.details.schema.geometry,
    ...defined({
      shown,
      as: rows,
      from: ownCrs(layer),
      to,
      namedSrs,
      maxTextBytes: rules?.maxTextBytes,
      lacks,
      hasNumberFields: rules?.hasNumberFields,
      page,
    }),
    select: defined({ box, filter: filter && filterInTable(filter, shown) }),
    path: join(task.workPath, rows === undefined ? 'rows.gpkg' : 'rows.txt'),
    name: layer.name,
    roomBytes: task.roomBytes,
    terms: termsOf(layer),
  }
}
