import { basename, dirname, join } from 'node:path'
import type { DataFile } from '../formats/format.ts'
import { ownValue } from '../lib/own-value.ts'

const ofShapefile = ['shp']
const ofTable = ['shp', 'dbf']
const ofTiff = ['tif', 'tiff']
const ofJpeg = ['jpg', 'jpeg']
const ofMapInfo = ['tab']
const ofGrid = ['bil', 'bip', 'bsq', 'flt']
/** What metadata in a file of their own go with, granules above all; KML and the like may be called `.xml` too. */
const ofMetadata = [...ofShapefile, ...ofTiff, ...ofJpeg, ...ofGrid, 'png', 'jp2', 'img', 'asc']

/** Extensions of files that belong to another one, with the main extensions they belong to; `any` for all. */
const sidecarExtensions: Record<string, readonly string[] | 'any'> = {
  shx: ofTable,
  dbf: ['shp', 'tab'],
  dbt: ofTable,
  fpt: ofTable,
  cst: ofTable,
  'vat.dbf': 'any',
  sbn: ofShapefile,
  sbx: ofShapefile,
  qix: ofShapefile,
  idx: ofShapefile,
  fbn: ofShapefile,
  fbx: ofShapefile,
  ain: ofShapefile,
  aih: ofShapefile,
  atx: ofShapefile,
  ixs: ofShapefile,
  mxs: ofShapefile,
  'shp.xml': ofShapefile,
  'shp.ed.lock': ofShapefile,
  prj: 'any',
  cpg: 'any',
  qpj: 'any',
  qmd: 'any',
  sld: 'any',
  qml: 'any',
  aux: 'any',
  'aux.xml': 'any',
  wld: 'any',
  rrd: 'any',
  ovr: 'any',
  msk: 'any',
  tfw: ofTiff,
  tifw: ofTiff,
  tiffw: ofTiff,
  jgw: ofJpeg,
  jpw: ofJpeg,
  jpgw: ofJpeg,
  pgw: ['png'],
  pnw: ['png'],
  pngw: ['png'],
  gfw: ['gif'],
  bpw: ['bmp'],
  dat: ofMapInfo,
  map: ofMapInfo,
  id: ofMapInfo,
  ind: ofMapInfo,
  mid: ['mif'],
  xml: ofMetadata,
  hdr: ofGrid,
  stx: ofGrid,
  clr: ofGrid,
  rdc: ['rst'],
  ref: ['rst'],
  sgrd: ['sdat'],
  mgrd: ['sdat'],
  ige: ['img'],
  csvt: ['csv'],
  gfs: ['gml'],
  xsd: ['gml'],
  'gpkg-wal': ['gpkg'],
  'gpkg-shm': ['gpkg'],
  'gpkg-journal': ['gpkg'],
}

function splitExtension(name: string): { base: string; extension: string } {
  const dot = name.lastIndexOf('.')
  return dot <= 0
    ? { base: name, extension: '' }
    : { base: name.slice(0, dot), extension: name.slice(dot + 1).toLowerCase() }
}

interface Main {
  name: string
  file: DataFile
  extension: string
}

/** The ways to split `roads.tif.aux.xml` into a base and a sidecar extension, the longest extension first. */
function sidecarSplits(name: string): { base: string; extension: string }[] {
  const splits: { base: string; extension: string }[] = []
  const parts = name.split('.')
  for (let from = Math.max(1, parts.length - 3); from < parts.length; from += 1) {
    const extension = parts.slice(from).join('.').toLowerCase()
    if (Object.hasOwn(sidecarExtensions, extension))
      splits.push({ base: parts.slice(0, from).join('.'), extension })
  }
  return splits
}

/** Mains by base name and by full name, both in lower case. */
function indexMains(folder: string, names: readonly string[]): Map<string, Main[]> {
  const index = new Map<string, Main[]>()
  for (const name of names) {
    const { base, extension } = splitExtension(name)
    const main: Main = { name, extension, file: { path: join(folder, name), sidecars: {} } }
    for (const key of base === name ? [name.toLowerCase()] : [base.toLowerCase(), name.toLowerCase()]) {
      const mains = index.get(key)
      if (mains === undefined) index.set(key, [main])
      else mains.push(main)
    }
  }
  return index
}

function isExactly(main: Main, base: string): boolean {
  return main.name === base || splitExtension(main.name).base === base
}

function attach(folder: string, name: string, mains: Map<string, Main[]>): boolean {
  for (const { base, extension } of sidecarSplits(name)) {
    const allowed = ownValue(sidecarExtensions, extension)
    const fitting = (mains.get(base.toLowerCase()) ?? []).filter(
      (main) => allowed === 'any' || allowed?.includes(main.extension) === true,
    )
    const exact = fitting.filter((main) => isExactly(main, base))
    for (const main of exact.length > 0 ? exact : fitting) {
      main.file.sidecars[extension] ??= join(folder, name)
    }
    if (fitting.length > 0) return true
  }
  return false
}

/** Paths in the order of tasks: compared without case, then with it. */
export function comparePaths(a: string, b: string): number {
  const left = a.toLowerCase()
  const right = b.toLowerCase()
  if (left !== right) return left < right ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

/** As sorting by `comparePaths`, each path turned to lower case once. */
function sortByPath<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, path: pathOf(item), key: pathOf(item).toLowerCase() }))
  keyed.sort((a, b) => {
    if (a.key !== b.key) return a.key < b.key ? -1 : 1
    return a.path === b.path ? 0 : a.path < b.path ? -1 : 1
  })
  return keyed.map(({ item }) => item)
}

/** Attaches files to the mains that they belong to; gives those that belong to none. */
function attachAll(folder: string, names: readonly string[], mains: Map<string, Main[]>): string[] {
  return names.filter((name) => !attach(folder, name, mains))
}

function groupFolder(folder: string, names: readonly string[]): DataFile[] {
  const sidecars = names.filter((name) => sidecarSplits(name).length > 0)
  if (sidecars.length === 0) return names.map((name) => ({ path: join(folder, name), sidecars: {} }))
  const belonging = new Set(sidecars)
  const mains = indexMains(
    folder,
    names.filter((name) => !belonging.has(name)),
  )
  const alone = attachAll(folder, sidecars, mains)
  // A .dbf alone is a table, with files of its own.
  const tables = indexMains(folder, alone.filter(isTable))
  const left = attachAll(
    folder,
    alone.filter((name) => !isTable(name)),
    tables,
  )
  const files = [...mains.values(), ...tables.values()].flat().map((main) => main.file)
  return [...new Set(files), ...left.map((name) => ({ path: join(folder, name), sidecars: {} }))]
}

function isTable(name: string): boolean {
  return splitExtension(name).extension === 'dbf'
}

/**
 * Joins main files with the files that belong to them: same folder, same base name in any letter case, a known
 * extension. A file that belongs to none stands alone. The order is that of the paths without case.
 */
export function groupSidecars(paths: readonly string[]): DataFile[] {
  const folders = new Map<string, string[]>()
  for (const path of sortByPath(paths, (one) => one)) {
    const names = folders.get(dirname(path))
    if (names === undefined) folders.set(dirname(path), [basename(path)])
    else names.push(basename(path))
  }
  const files = [...folders].flatMap(([folder, names]) => groupFolder(folder, names))
  return sortByPath(files, ({ path }) => path)
}
