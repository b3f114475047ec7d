import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { WriterRow } from '../shapefile-writer.ts'
import { writeShapefile } from '../shapefile-writer.ts'
import type { Content } from './targets.ts'

export const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

/** Number of rows in each file, by its name, which is also the value of the attribute `part` in each row. */
const sizes = { a: 30_000, b: 40_000, c: 15_000 }
export type Part = keyof typeof sizes

export function contentOf(...parts: Part[]): Content {
  return Object.fromEntries(
    parts.map((part) => [
      part,
      { rows: sizes[part], sum: (sizes[part] * (sizes[part] - 1)) / 2, geometries: sizes[part] },
    ]),
  )
}

export function rowCount(content: Content | undefined): number {
  return Object.values(content ?? {}).reduce((sum, { rows }) => sum + rows, 0)
}

function* rowsOf(part: Part): Generator<WriterRow> {
  for (let number = 0; number < sizes[part]; number += 1) {
    const point = [(number % 1000) / 10, Math.floor(number / 1000) / 10]
    yield { shape: { parts: [point] }, values: [part, number] }
  }
}

/** Writes `<part>.shp` for each of these parts, where it is not there yet. */
export function writeParts(folder: string, parts: readonly Part[]): void {
  mkdirSync(folder, { recursive: true })
  for (const part of parts) {
    const path = join(folder, `${part}.shp`)
    if (existsSync(path)) continue
    writeShapefile(path, {
      shapeType: 1,
      fields: [
        { name: 'part', type: 'C', width: 4 },
        { name: 'number', type: 'N', width: 9 },
      ],
      rows: rowsOf(part),
      prj: wgs84,
    })
  }
}
