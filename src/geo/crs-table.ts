import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** One row of the shipped table; `datum` and `area` are line numbers in their own lists. */
export interface CrsRow {
  srs: string
  name: string
  /** As in PROJ's database: `geographic 2D`, `geographic 3D`, `projected`, `compound`. */
  type: string
  isDeprecated: boolean
  axisOrder: 'xy' | 'yx'
  unit: string
  area: number
  /** Geographic base CRS of a projected one, otherwise the CRS itself; empty if it has none. */
  base: string
  datum: number
  /** PROJ string without `+type=crs` and `+no_defs`; empty if PROJ has none. */
  proj: string
  /** Other names, such as ESRI's. */
  aliases: string[]
}

/** A datum in the table of the data folder. */
export interface DatumRow {
  id: string
  /** Metres. */
  semiMajor: number
  /** 0 for a sphere. */
  inverseFlattening: number
  /** Metres, for a datum ensemble. */
  ensembleAccuracy?: number
  names: string[]
}

/** A transformation between two geographic CRSs, as proposed by PROJ; ballpark means that none is known. */
export interface CrsOperation {
  name: string
  kind: 'null' | 'helmert' | 'grid' | 'other' | 'ballpark'
  /** Metres. */
  accuracy?: number
  /** west, south, east, north in degrees. */
  area?: [number, number, number, number]
  /** x, y, z in metres; rx, ry, rz in arc seconds, position vector convention; s in parts per million. */
  shift?: [number, number, number, number, number, number, number]
  grids?: string[]
  /** True if the transformation applies only at sea. */
  isOffshore?: true
}

interface Part {
  start: number
  end: number
}

interface OpenTable {
  file: Buffer
  index: Part
  areas: Part
  datums: Part
  operations: Part
  grids: Part
  blocks: Part[]
  recordsPerBlock: number
}

/** Caches a value on first use. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const openTable = lazily((): OpenTable => {
  const file = readFileSync(new URL('./data/crs-table.bin', import.meta.url))
  const headerEnd = 4 + file.readUInt32LE(0)
  const header = JSON.parse(file.toString('utf8', 4, headerEnd)) as {
    recordsPerBlock: number
    sizes: number[]
  }
  let at = headerEnd
  const parts = header.sizes.map((size) => {
    at += size
    return { start: at - size, end: at }
  })
  const [index, areas, datums, operations, grids, ...blocks] = parts
  if (!index || !areas || !datums || !operations || !grids) {
    throw new Error('src/geo/data/crs-table.bin is damaged: build it again with scripts/build-crs-table.ts')
  }
  return { file, index, areas, datums, operations, grids, blocks, recordsPerBlock: header.recordsPerBlock }
})

function unpackLines(part: Part): string[] {
  return brotliDecompressSync(openTable().file.subarray(part.start, part.end)).toString('utf8').split('\n')
}

const indexLines = lazily(() => unpackLines(openTable().index))
const areaLines = lazily(() => unpackLines(openTable().areas))
const datumLines = lazily(() => unpackLines(openTable().datums))

const rowNumbers = lazily(
  () => new Map(indexLines().map((line, row) => [line.slice(0, line.indexOf('\t')), row])),
)

function toRow(line: string): CrsRow {
  const [
    srs = '',
    name = '',
    type = '',
    deprecated,
    order,
    unit = '',
    area,
    base = '',
    datum,
    proj = '',
    ...aliases
  ] = line.split('\t')
  return {
    srs,
    name,
    type,
    isDeprecated: deprecated === '1',
    axisOrder: order === 'yx' ? 'yx' : 'xy',
    unit,
    area: Number(area),
    base,
    datum: Number(datum),
    proj,
    aliases,
  }
}

/** Returns the row of a code such as `EPSG:25832`; the spelling must be exact. */
export function findRow(srs: string): CrsRow | undefined {
  const line = indexLines()[rowNumbers().get(srs) ?? -1]
  return line === undefined ? undefined : toRow(line)
}

/** All rows, decoded once. */
export const allRows = lazily(() => indexLines().map(toRow))

/**
 * Returns the name of an area, and its west, south, east and north in degrees (west above east across the
 * antimeridian).
 */
export function findArea(
  number: number,
): { name: string; bounds: [number, number, number, number] } | undefined {
  const [name, ...bounds] = (areaLines()[number] ?? '').split('|')
  const [west, south, east, north] = bounds.map(Number)
  if (name === undefined || west === undefined || south === undefined) return undefined
  if (east === undefined || north === undefined) return undefined
  return { name, bounds: [west, south, east, north] }
}

/** All datums, by their numbers in the table. */
export const allDatums = lazily((): (DatumRow | undefined)[] =>
  datumLines().map((line) => {
    const [id, semiMajor, inverseFlattening, accuracy, ...names] = line.split('\t')
    if (id === undefined || id === '') return undefined
    const datum: DatumRow = {
      id,
      semiMajor: Number(semiMajor),
      inverseFlattening: Number(inverseFlattening),
      names,
    }
    if (accuracy !== undefined && accuracy !== '') datum.ensembleAccuracy = Number(accuracy)
    return datum
  }),
)

/** Reads the WKT 1 that GDAL writes, or WKT 2 if WKT 1 cannot express the CRS. */
export function readDefinition(srs: string): string | undefined {
  const row = rowNumbers().get(srs)
  if (row === undefined) return undefined
  const { blocks, recordsPerBlock } = openTable()
  const block = blocks[Math.floor(row / recordsPerBlock)]
  return block === undefined ? undefined : unpackLines(block)[row % recordsPerBlock]
}

const operationTable = lazily(() => {
  const table = new Map<string, CrsOperation[]>()
  for (const line of unpackLines(openTable().operations)) {
    const [from, to, operations] = JSON.parse(line) as [string, string, CrsOperation[]]
    table.set(`${from}>${to}`, operations)
  }
  return table
})

/**
 * Returns PROJ's operations between two geographic CRSs in its order; undefined if the table has no such
 * pair.
 */
export function findOperations(from: string, to: string): CrsOperation[] | undefined {
  return operationTable().get(`${from}>${to}`)
}

const gridNames = lazily(() => {
  const names = new Map<string, string[]>()
  for (const line of unpackLines(openTable().grids)) {
    const [name = '', ...others] = line.split('\t')
    names.set(name, [...(names.get(name) ?? [name]), ...others.filter((other) => other !== '')])
  }
  return names
})

/** Returns the names under which a grid's file may be installed, PROJ's own name first. */
export function gridFileNames(grid: string): string[] {
  return gridNames().get(grid) ?? [grid]
}

const neighbours = lazily(() => {
  const found = new Map<string, Set<string>>()
  const add = (from: string, to: string): void => {
    found.set(from, (found.get(from) ?? new Set()).add(to))
  }
  for (const [pair, operations] of operationTable()) {
    if (operations.every(({ kind }) => kind === 'ballpark')) continue
    const [from = '', to = ''] = pair.split('>')
    add(from, to)
    add(to, from)
  }
  return found
})

/** Returns the geographic CRSs with an operation from or to this one. */
export function operationNeighbours(srs: string): ReadonlySet<string> {
  return neighbours().get(srs) ?? new Set()
}
